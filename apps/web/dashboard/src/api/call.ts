/** The only file that calls `fetch`. Throws problems as `ProblemError`; a 401 opens sign-in; tracks whether the panel is reachable. */
import { createClient, ProblemError, readProblem, type Input, type Reply } from "@triptych/client";
import type { Endpoint } from "@triptych/contracts";
import { markOnline } from "./connection-status.ts";
import { noteRefused, session } from "./session.ts";
import { pageLanguage } from "../i18n.ts";

/** A person is waiting: after two seconds, show an error instead of retrying. */
const client = createClient({ url: "", longestWaitMs: 2_000, fetch: noticing });

export async function call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Reply<E>> {
  const since = session.get();
  try {
    return await client.call(endpoint, input);
  } catch (error) {
    const isSignIn = endpoint.path.startsWith("/api/auth/") && endpoint.method === "POST";
    if (error instanceof ProblemError && error.status === 401 && !isSignIn) noteRefused(since);
    throw error;
  }
}

/** A text that is not JSON, such as a diff; null if there is none. */
export async function callForText(path: string, signal?: AbortSignal): Promise<string | null> {
  const since = session.get();
  const response = await noticing(path, { ...(signal !== undefined && { signal }) });
  if (response.status === 401) noteRefused(since);
  if (response.status === 204) return null;
  if (response.ok) return response.text();
  throw await readProblem(response);
}

/** A value for `Idempotency-Key`, created at the click so that retries have one effect. */
export function clickKey(): string {
  // `randomUUID` requires https, which a panel in a private network may lack.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function noticing(address: string | URL | Request, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  // Requests the panel's problems in the language of the page.
  headers.set("accept-language", pageLanguage);
  try {
    const response = await fetch(address, { ...options, headers });
    markOnline(true);
    return response;
  } catch (error) {
    const isAborted = error instanceof DOMException && error.name === "AbortError";
    if (!isAborted) markOnline(false);
    throw error;
  }
}
