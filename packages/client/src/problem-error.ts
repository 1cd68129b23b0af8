/** A problem response (RFC 9457) as an error: `code` identifies it, `errors` lists the issues of the request. */
import type { ValidationIssue, ProblemBody } from "@triptych/contracts";

export class ProblemError extends Error {
  readonly status: number;
  /** A catalog code; `unknown` if the response was not a problem document (a proxy's page, for example). */
  readonly code: string;
  readonly errors: readonly ValidationIssue[];
  readonly body: Partial<ProblemBody>;
  /** Seconds before a retry, from the time of the response; null if the server set none. */
  readonly retryAfter: number | null;

  constructor(status: number, body: Partial<ProblemBody>, retryAfter: number | null = null) {
    super(body.detail ?? body.title ?? `The server responded with ${status}.`);
    this.name = "ProblemError";
    this.status = status;
    this.code = body.code ?? "unknown";
    this.errors = body.errors ?? [];
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

export async function readProblem(response: Response): Promise<ProblemError> {
  const text = await response.text().catch(() => "");
  return new ProblemError(response.status, parse(text), secondsOf(response.headers.get("retry-after")));
}

/** Our services send seconds; a date, as from a proxy, is ignored. */
function secondsOf(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}

function parse(text: string): Partial<ProblemBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
