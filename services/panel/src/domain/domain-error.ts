/** A refusal that the caller can do something about: thrown inside a change, which it undoes, and answered as a problem at the edge. */
import type { ProblemCode } from "@triptych/contracts";

export interface RefusalOptions {
  readonly detail?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  /** When time heals it: milliseconds since 1970. */
  readonly retryAt?: number;
  /** Where it is not the code's usual one: a quota that time does not heal is 403. */
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

/** One sentence for whatever the caller cannot see: not there, and another account's, are the same. */
export function orNotFound<T>(record: T | null, what: string): T {
  if (record !== null) return record;
  throw new DomainError("not_found", { detail: `There is no such ${what}.` });
}
