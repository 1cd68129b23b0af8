/** Sends JSON in one POST request. Redirects are not followed, because a signature is meant for one receiver. */
import { parseRetryAfter } from "@triptych/client";
import type { Outcome } from "./target.ts";

const TIMEOUT_MS = 15_000;
/** Small bodies are drained so that the connection can be reused. Their content is ignored. */
const RESPONSE_BYTES_MAX = 65_536;
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429]);

export interface PostRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly now: number;
  readonly timeoutMs?: number;
}

export async function postJson({ url, headers, body, now, timeoutMs = TIMEOUT_MS }: PostRequest): Promise<Outcome> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": "triptych-notify", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await discard(response);
    return outcomeOf(response, now);
  } catch (error) {
    return { kind: "unavailable", error: reasonOf(error), retryAfterMs: null };
  }
}

function outcomeOf({ ok, status, headers }: Response, now: number): Outcome {
  if (ok) return { kind: "delivered" };
  const error = `status ${status}`;
  if (status === 410) return { kind: "gone", error };
  if (status < 500 && !TEMPORARY.has(status)) return { kind: "refused", error };
  const seconds = parseRetryAfter(headers.get("retry-after"), now);
  return { kind: "unavailable", error, retryAfterMs: seconds === null ? null : seconds * 1_000 };
}

async function discard({ body }: Response): Promise<void> {
  if (body === null) return;
  let bytes = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
      if (bytes > RESPONSE_BYTES_MAX) return;
    }
  } catch {
    // The status decides the outcome, even if the body breaks off.
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A code such as ECONNREFUSED. Network error messages may contain a secret address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "timeout";
  const { cause } = error;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "network error";
}
