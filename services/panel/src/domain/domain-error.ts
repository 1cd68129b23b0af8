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
