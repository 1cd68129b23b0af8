/**
 * Executes a list of steps on the one write connection. Invariant: after a failure response no transaction is open, and
 * nothing since the last `begin` is stored. A failed statement is undone alone.
 */
import { SqliteError } from "../errors.ts";
import type { Result, Statement } from "../statement.ts";
import { retryWhileBusy } from "./retry-on-busy.ts";
import type { Connection } from "./connection.ts";
import { loadProcedures, type LoadedProcedures, type ProcedureCall } from "./writer-procedures.ts";

export type Step =
  | { readonly kind: "begin" | "commit" | "rollback" | "savepoint" | "release" | "undo" }
  | Job
  | { readonly kind: "within"; readonly statement: Statement };

/** Fails alone; its neighbors in the transaction are kept. */
type Job =
  | { readonly kind: "alone"; readonly statement: Statement }
  | { readonly kind: "call"; readonly call: ProcedureCall };

export interface SerializedError {
  readonly message: string;
  readonly errcode: number | null;
  readonly stack: string | null;
}

export type Outcome =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: SerializedError };

/** Results of the `alone`, `call` and `within` steps, in order; or the error that ended the whole transaction. */
export type WriterResponse =
  | { readonly ok: true; readonly outcomes: readonly Outcome[] }
  | { readonly ok: false; readonly error: SerializedError };

export type Writer = (steps: readonly Step[]) => Promise<WriterResponse>;

export function createWriterCore(connection: Connection, options: { readonly busyMs: number }): Writer {
  const procedures: LoadedProcedures = loadProcedures(connection);

  return async (steps) => {
    // Load modules before taking the write lock.
    for (const step of steps)
      if (step.kind === "call" && !procedures.isLoaded(step.call.module)) await procedures.load(step.call.module);
    return isLoneJob(steps) ? performLone(steps[1]) : performAll(steps);
  };

  /** A single job needs no savepoint, for which SQLite would copy every page before a change. */
  function performLone(job: Job): WriterResponse {
    try {
      begin();
      const outcome = attempt(workOf(job));
      control(outcome.ok ? "commit" : "rollback");
      return { ok: true, outcomes: [outcome] };
    } catch (error) {
      abandon();
      return { ok: false, error: serializeError(error) };
    }
  }

  function performAll(steps: readonly Step[]): WriterResponse {
    const outcomes: Outcome[] = [];
    try {
      for (const step of steps) {
        const outcome = perform(step);
        if (outcome !== null) outcomes.push(outcome);
      }
      return { ok: true, outcomes };
    } catch (error) {
      abandon();
      return { ok: false, error: serializeError(error) };
    }
  }

  function perform(step: Step): Outcome | null {
    switch (step.kind) {
      case "begin":
        begin();
        return null;
      case "alone":
      case "call":
        return inSavepoint(workOf(step));
      case "within":
        return attempt(() => connection.run(step.statement));
      case "savepoint":
        control("savepoint triptych_job");
        return null;
      case "release":
        control("release triptych_job");
        return null;
      case "undo":
        control("rollback to triptych_job");
        control("release triptych_job");
        return null;
      case "commit":
      case "rollback":
        control(step.kind);
        return null;
    }
  }

  function begin(): void {
    retryWhileBusy(options.busyMs, () => control("begin immediate"));
  }

  function workOf(job: Job): () => Result {
    if (job.kind === "alone") return () => connection.run(job.statement);
    return () => ({ ...NOTHING_FOUND, output: procedures.call(job.call) });
  }

  function inSavepoint(work: () => Result): Outcome {
    control("savepoint triptych_job");
    const outcome = attempt(work);
    if (!outcome.ok) control("rollback to triptych_job");
    control("release triptych_job");
    return outcome;
  }

  function attempt(work: () => Result): Outcome {
    try {
      return { ok: true, result: work() };
    } catch (error) {
      // A full disk, out-of-memory or `ON CONFLICT ROLLBACK` end the whole transaction, including its neighbors.
      if (!connection.inTransaction()) throw error;
      return { ok: false, error: serializeError(error) };
    }
  }

  function control(sql: string): void {
    connection.run({ sql, parameters: [] });
  }

  function abandon(): void {
    if (connection.inTransaction()) control("rollback");
  }
}

function isLoneJob(steps: readonly Step[]): steps is readonly [Step, Job, Step] {
  const [first, job, last] = steps;
  if (steps.length !== 3 || first?.kind !== "begin" || last?.kind !== "commit") return false;
  return job?.kind === "alone" || job?.kind === "call";
}

const NOTHING_FOUND = { rows: [], changes: 0, lastId: null };

export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { message: String(error), errcode: null, stack: null };

  return {
    message: error.message,
    errcode: error instanceof SqliteError ? error.errcode : null,
    stack: error.stack ?? null,
  };
}

export function toError(serialized: SerializedError): Error {
  const error =
    serialized.errcode === null
      ? new Error(serialized.message)
      : new SqliteError(serialized.message, serialized.errcode);
  if (serialized.stack !== null) error.stack = serialized.stack;
  return error;
}
