/** A problem answer (RFC 9457) as an error: `code` decides, `errors` lists the faults of the request. */
import type { Fault, ProblemBody } from "@triptych/contracts";

export class ProblemError extends Error {
  readonly status: number;
  /** Of the catalogue; `unknown` when the answer was not a problem document (a proxy's page, say). */
  readonly code: string;
  readonly errors: readonly Fault[];
  readonly body: Partial<ProblemBody>;

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? `The server answered ${status}.`);
    this.name = "ProblemError";
    this.status = status;
    this.code = body.code ?? "unknown";
    this.errors = body.errors ?? [];
    this.body = body;
  }
}

export async function readProblem(response: Response): Promise<ProblemError> {
  const text = await response.text().catch(() => "");
  return new ProblemError(response.status, parse(text));
}

function parse(text: string): Partial<ProblemBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
