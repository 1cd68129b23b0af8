/**
 * An error that the caller can fix (RFC 9457): thrown anywhere, converted to a response by `createServer`. All other
 * errors are internal: logged once and returned as `internal`.
 */
import { problems, type ValidationIssue, type ProblemBody, type ProblemCode } from "@triptych/contracts";
import { redact } from "./redact.ts";

export interface ProblemOptions {
  readonly detail?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
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

export function validationFailed(issues: readonly ValidationIssue[], { hasMore = false } = {}): Problem {
  const all =
    issues.length === 1
      ? "The request has one issue, listed in `errors`."
      : `The request has ${issues.length} issues, all listed in \`errors\`.`;
  const detail = hasMore ? `The first ${issues.length} issues are listed in \`errors\`; there may be more.` : all;
  return new Problem("validation_failed", { detail, members: { errors: issues } });
}

export interface ProblemLocation {
  readonly serviceUrl: string;
  readonly path: string;
  readonly requestId: string;
  /** Members that a service adds to every problem. */
  readonly extra?: ProblemExtensions | undefined;
}

export type ProblemExtensions = (body: ProblemBody) => Readonly<Record<string, unknown>>;

/** The response body. Values from the request are redacted: a path may contain a key by mistake. */
export function problemBody(problem: Problem, location: ProblemLocation): ProblemBody {
  const body = {
    type: `${location.serviceUrl}/problems/${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: redact(problem.message),
    instance: redact(location.path),
    request_id: location.requestId,
  };
  return { ...body, ...location.extra?.(body), ...problem.members };
}
