/** An error that the caller can fix. Thrown inside a transaction, which rolls back, and returned as a problem. */
import type { ProblemCode } from "@triptych/contracts";

export interface RefusalOptions {
  readonly detail?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  /** When a retry can succeed: milliseconds since 1970. */
  readonly retryAt?: number;
  /** Overrides the code's usual status: a quota that does not reset over time is 403. */
  readonly status?: 403;
}

export class DomainError extends Error {
  readonly code: ProblemCode;
  readonly options: RefusalOptions;

  constructor(code: ProblemCode, options: RefusalOptions = {}) {
    super(options.detail ?? code);
    this.name = "DomainError";
    this.code = code;
    this.options = options;
  }
}

/** The same detail for missing records and those of other accounts. */
export function orNotFound<T>(record: T | null, what: string): T {
  if (record !== null) return record;
  throw new DomainError("not_found", { detail: `No such ${what}.` });
}

type Members = Readonly<Record<string, unknown>>;
type Detail = (value: (name: string) => string) => string;

/** Other codes use the explanation of the catalogue. */
const DETAILS: Readonly<Partial<Record<ProblemCode, Detail>>> = {
  plan_required: (value) =>
    `${capitalized(value("feature"))} requires the ${value("required_plan")} plan; this account has the ${value("current_plan")} plan.`,
  scope_required: (value) => `The access token does not have the scope ${value("required_scope")}.`,
  quota_exceeded: (value) => {
    const larger = value("required_plan");
    const remedy = larger === "" ? "Try again after `Retry-After` seconds." : `The ${larger} plan allows more.`;
    return `The plan allows ${value("limit")}, and ${value("current")} are in use. ${remedy}`;
  },
  repo_exists: (value) => `This account already has the repository as ${value("repo_id")}.`,
  revision_conflict: (value) =>
    `The repository was changed since you read it and is now at revision ${value("revision")}. Read it again and repeat your change.`,
  run_already_active: (value) =>
    `Run ${value("run_id")} has the same focus and is ${value("current_state")}. Wait for it, cancel it, or send \`parallel: true\`.`,
  explore_already_active: (value) =>
    `Explore run ${value("run_id")} is ${value("current_state")}. Wait for it, or cancel it.`,
  run_not_cancellable: (value) => `The run is ${value("current_state")} and cannot be cancelled.`,
  run_not_pushed: (value) => `The run is ${value("current_state")}. Only a run that is pushed can get a pull request.`,
  run_not_retryable: (value) =>
    `The run is ${value("current_state")}. Only failed, cancelled, lost and expired runs can be retried.`,
  run_not_followable: (value) =>
    `Run ${value("run_id")} is ${value("current_state")} and has no open pull request to follow up.`,
  candidate_not_proposed: (value) =>
    `The candidate is ${value("current_state")}${value("run_id") === "" ? "" : ` by run ${value("run_id")}`}. Only proposed candidates can be run or rejected.`,
  pr_unsupported: (value) =>
    `The provider is plain git, which has no pull requests. The change is on branch ${value("branch")}.`,
};

export function detailOf(code: ProblemCode, members: Members = {}): string | undefined {
  return DETAILS[code]?.((name) => {
    const value = members[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
