/**
 * A Problem is the caller's to fix (RFC 9457): thrown anywhere below the edge, answered by `createServer` in one place.
 * Everything else that is thrown is ours, logged once and answered as `internal`.
 */
import { problems, type Fault, type ProblemBody, type ProblemCode } from "@triptych/contracts";
import { redact } from "./redact.ts";

export interface ProblemOptions {
  /** A sentence for this case; the catalogue's explanation when absent. */
  readonly detail?: string;
  /** Members beside the standard ones, such as `required_plan`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where this case has another status than the code usually has. */
  readonly status?: number;
  readonly cause?: unknown;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? problems[code].explanation, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.status = options.status ?? problems[code].status;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

/** The `validation_failed` problem with every fault that was found. */
export function validationFailed(faults: readonly Fault[], { hasMore = false } = {}): Problem {
  const all =
    faults.length === 1
      ? "The request has one fault, listed in `errors`."
      : `The request has ${faults.length} faults, all listed in \`errors\`.`;
  const detail = hasMore ? `The first ${faults.length} faults are listed in \`errors\`; there may be more.` : all;
  return new Problem("validation_failed", { detail, members: { errors: faults } });
}

export interface ProblemPlace {
  readonly serviceUrl: string;
  /** Path of the request, without its query. */
  readonly path: string;
  readonly requestId: string;
  /** Members that a service adds to every problem. */
  readonly extra?: ExtraMembers | undefined;
}

export type ExtraMembers = (body: ProblemBody) => Readonly<Record<string, unknown>>;

/** The body as sent. What came from the request is redacted: a key may stand in a path by mistake. */
export function problemBody(problem: Problem, place: ProblemPlace): ProblemBody {
  const body = {
    type: `${place.serviceUrl}/problems/${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: redact(problem.message),
    instance: redact(place.path),
    request_id: place.requestId,
  };
  return { ...body, ...place.extra?.(body), ...problem.members };
}
