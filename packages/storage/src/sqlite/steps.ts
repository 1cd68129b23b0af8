/**
 * What the writer does, one message at a time: a message is a list of steps, executed in order on the one writing connection.
 * The invariant: when a message is answered with a failure, no transaction is open and nothing since the last `begin` is
 * stored. A statement that fails is not such a failure: it is undone alone and its error stands in its place in the answer.
 */
import { SqliteError } from "../errors.ts";
import type { Result, Statement } from "../statement.ts";
import { whileBusy } from "./busy.ts";
import type { Connection } from "./connection.ts";

export type Step =
  | { readonly kind: "begin" | "commit" | "rollback" | "savepoint" | "release" | "undo" }
  /** In a savepoint of its own: fails alone. */
  | { readonly kind: "alone"; readonly statement: Statement }
  /** Inside the savepoint of an interactive transaction. */
  | { readonly kind: "within"; readonly statement: Statement };

/** A fault in the form that survives the way between threads. */
export interface Fault {
  readonly message: string;
  readonly errcode: number | null;
  readonly stack: string | null;
}

export type Outcome = { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly fault: Fault };

/** Outcomes of the `alone` and `within` steps, in order; or the fault that ended the whole transaction. */
export type Answer =
  | { readonly ok: true; readonly outcomes: readonly Outcome[] }
  | { readonly ok: false; readonly fault: Fault };

export type WriterCore = (steps: readonly Step[]) => Answer;

export function createWriterCore(connection: Connection, options: { readonly busyMs: number }): WriterCore {
  return (steps) => {
    const outcomes: Outcome[] = [];
    try {
      for (const step of steps) {
        const outcome = perform(step);
        if (outcome !== null) outcomes.push(outcome);
      }
      return { ok: true, outcomes };
    } catch (error) {
      abandon();
      return { ok: false, fault: toFault(error) };
    }
  };

  function perform(step: Step): Outcome | null {
    switch (step.kind) {
      case "begin":
        whileBusy(options.busyMs, () => control("begin immediate"));
        return null;
      case "alone":
        return alone(step.statement);
      case "within":
        return attempt(step.statement);
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

  function alone(statement: Statement): Outcome {
    control("savepoint triptych_job");
    const outcome = attempt(statement);
    if (!outcome.ok) control("rollback to triptych_job");
    control("release triptych_job");
    return outcome;
  }

  function attempt(statement: Statement): Outcome {
    try {
      return { ok: true, result: connection.run(statement) };
    } catch (error) {
      // A full disk, lost memory or `ON CONFLICT ROLLBACK` end the whole transaction, neighbours included.
      if (!connection.inTransaction()) throw error;
      return { ok: false, fault: toFault(error) };
    }
  }

  function control(sql: string): void {
    connection.run({ sql, parameters: [] });
  }

  function abandon(): void {
    if (connection.inTransaction()) control("rollback");
  }
}

export function toFault(error: unknown): Fault {
  if (!(error instanceof Error)) return { message: String(error), errcode: null, stack: null };

  return {
    message: error.message,
    errcode: error instanceof SqliteError ? error.errcode : null,
    stack: error.stack ?? null,
  };
}

export function toError(fault: Fault): Error {
  const error = fault.errcode === null ? new Error(fault.message) : new SqliteError(fault.message, fault.errcode);
  if (fault.stack !== null) error.stack = fault.stack;
  return error;
}
