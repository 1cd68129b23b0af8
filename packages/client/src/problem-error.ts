/** A problem response (RFC 9457) as an error: `code` identifies it, `errors` lists the issues of the request. */
import type { Endpoint, ProblemBody, ProblemCode, ValidationIssue } from "@triptych/contracts";

export class ProblemError<Code extends string = ProblemCode | "unknown"> extends Error {
  readonly status: number;
  /** A catalog code; `unknown` if the response was not a problem document (a proxy's page, for example). */
  readonly code: Code;
  readonly errors: readonly ValidationIssue[];
  readonly body: Partial<ProblemBody>;
  /** Seconds before a retry, from the time of the response; null if the server set none. */
  readonly retryAfter: number | null;

  constructor(status: number, body: Partial<ProblemBody>, retryAfter: number | null = null) {
    super(body.detail ?? body.title ?? `The server responded with ${status}.`);
    this.name = "ProblemError";
    this.status = status;
    // A newer server may send a code that this catalog does not have yet.
    this.code = (body.code ?? "unknown") as Code;
    this.errors = body.errors ?? [];
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** Narrows an error to the problems of an endpoint's contract: `error.code` is one of its codes. */
export function isProblemOf<const E extends Endpoint>(
  endpoint: E,
  error: unknown,
): error is ProblemError<E["problems"][number]> {
  return error instanceof ProblemError && endpoint.problems.some((code) => code === error.code);
}

export async function readProblem(response: Response, now: number = Date.now()): Promise<ProblemError> {
  const text = await response.text().catch(() => "");
  return new ProblemError(response.status, parse(text), parseRetryAfter(response.headers.get("retry-after"), now));
}

/** Returns seconds from now. Triptych services send seconds; proxies may send a date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const time = Date.parse(header);
  return Number.isNaN(time) ? null : Math.max(0, (time - now) / 1000);
}

function parse(text: string): Partial<ProblemBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
