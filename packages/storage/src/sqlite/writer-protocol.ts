/**
 * The requests that the single write connection executes. All requests up to a commit form a group: one outer
 * transaction with a savepoint for each job and for each interactive transaction. Invariant: after a failure response,
 * no transaction is open, and nothing of the group is stored.
 */
import { SqliteError } from "../errors.ts";
import type { Result, Statement } from "../statement.ts";
import { retryWhileBusy } from "./retry-on-busy.ts";
import type { Connection } from "./connection.ts";
import { loadProcedures, type LoadedProcedures, type ProcedureCall } from "./writer-procedures.ts";

export type WriterRequest =
  /** If a job fails, only that job is undone. The last jobs of a group include its commit. */
  | { readonly kind: "jobs"; readonly jobs: readonly Job[]; readonly isLast: boolean }
  /** A statement of an interactive transaction; the first one begins the transaction. */
  | { readonly kind: "execute"; readonly statement: Statement; readonly isFirst: boolean }
  /** The end of an interactive transaction. */
  | { readonly kind: "commit" | "rollback" }
  /** The commit of the group. */
  | { readonly kind: "flush" };

export type Job =
  | { readonly kind: "statement"; readonly statement: Statement }
  | { readonly kind: "call"; readonly call: ProcedureCall };

export interface SerializedError {
  readonly message: string;
  readonly errcode: number | null;
  readonly stack: string | null;
}

export type Outcome =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: SerializedError };

/** Results of the jobs or of the statement, in order; or the error that ended the whole transaction. */
export type WriterResponse =
  | { readonly ok: true; readonly outcomes: readonly Outcome[] }
  | { readonly ok: false; readonly error: SerializedError };

export type Writer = (request: WriterRequest) => Promise<WriterResponse>;

export function createWriterCore(connection: Connection, options: { readonly busyMs: number }): Writer {
  const procedures: LoadedProcedures = loadProcedures(connection);
  const { begin, commit, rollback, openSavepoint, closeSavepoint } = createControl(connection, options.busyMs);

  return async (request) => {
    // Load modules before taking the write lock.
    for (const job of request.kind === "jobs" ? request.jobs : [])
      if (job.kind === "call") await procedures.load(job.call.module);
    try {
      return { ok: true, outcomes: perform(request) };
    } catch (error) {
      if (connection.inTransaction()) rollback();
      return { ok: false, error: serializeError(error) };
    }
  };

  function perform(request: WriterRequest): readonly Outcome[] {
    switch (request.kind) {
      case "jobs":
        return performJobs(request.jobs, request.isLast);
      case "execute":
        if (request.isFirst) openSavepoint();
        return [attempt(() => connection.run(request.statement))];
      case "commit":
      case "rollback":
        closeSavepoint(request.kind);
        return [];
      case "flush":
        if (connection.inTransaction()) commit();
        return [];
    }
  }

  function performJobs(jobs: readonly Job[], isLast: boolean): readonly Outcome[] {
    const [first] = jobs;
    const isAlone = jobs.length === 1 && isLast && !connection.inTransaction();
    if (first !== undefined && isAlone) return [performAlone(first)];

    const outcomes = jobs.map((job) => {
      openSavepoint();
      const outcome = attempt(() => run(job));
      closeSavepoint(outcome.ok ? "commit" : "rollback");
      return outcome;
    });
    if (isLast) commit();
    return outcomes;
  }

  /** Runs without a savepoint, for which SQLite would copy every page before changing it. */
  function performAlone(job: Job): Outcome {
    begin();
    const outcome = attempt(() => run(job));
    if (outcome.ok) commit();
    else rollback();
    return outcome;
  }

  function run(job: Job): Result {
    if (job.kind === "statement") return connection.run(job.statement);
    return { rows: [], changes: 0, lastId: null, output: procedures.call(job.call) };
  }

  function attempt(work: () => Result): Outcome {
    try {
      return { ok: true, result: work() };
    } catch (error) {
      // A full disk, out-of-memory or `ON CONFLICT ROLLBACK` ends the whole transaction, including the other jobs of
      // the group.
      if (!connection.inTransaction()) throw error;
      return { ok: false, error: serializeError(error) };
    }
  }
}

function createControl(connection: Connection, busyMs: number) {
  const control = (sql: string): void => void connection.run({ sql, parameters: [] });
  const begin = (): void => retryWhileBusy(busyMs, () => control("begin immediate"));
  return {
    begin,
    commit: () => control("commit"),
    rollback: () => control("rollback"),
    /** Begins the transaction of the group if this is its first savepoint. */
    openSavepoint(): void {
      if (!connection.inTransaction()) begin();
      control("savepoint triptych_job");
    },
    closeSavepoint(kind: "commit" | "rollback"): void {
      if (kind === "rollback") control("rollback to triptych_job");
      control("release triptych_job");
    },
  };
}

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
