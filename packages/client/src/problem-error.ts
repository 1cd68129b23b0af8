/** A problem answer (RFC 9457) as an error: `code` decides, `errors` lists the faults of the request. */
import type { ValidationIssue, ProblemBody } from "@triptych/contracts";

export class ProblemError extends Error {
  readonly status: number;
  /** Of the catalogue; `unknown` when the answer was not a problem document (a proxy's page, say). */
  readonly code: string;
  readonly errors: readonly ValidationIssue[];
  readonly body: Partial<ProblemBody>;
  /** Seconds after which it may be tried again, from the moment of the answer; null where the server did not say. */
  readonly retryAfter: number | null;

  constructor(status: number, body: Partial<ProblemBody>, retryAfter: number | null = null) {
    super(body.detail ?? body.title ?? `The server answered ${status}.`);
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

/** Our services say seconds; a date, which a proxy may send, is no number and counts as nothing said. */
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
