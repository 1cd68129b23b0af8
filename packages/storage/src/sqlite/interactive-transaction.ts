/**
 * A transaction whose statements come from the main thread, one message each. It lets repositories be written once, in
 * Kysely, for both engines. It blocks all other writers until it ends, and shares the commit of its group. As in
 * PostgreSQL, a failed statement can only be followed by a rollback.
 */
import { StoreError } from "../errors.ts";
import type { Result, Row, Statement } from "../statement.ts";
import { type Outcome, toError, type WriterRequest } from "./writer-protocol.ts";

export interface WriteTransaction {
  execute(statement: Statement): Promise<Result>;
  /** Returns rows in batches of `size`. */
  stream(statement: Statement, size: number): AsyncGenerator<Row[], void>;
  /** Resolves after the commit of the whole group. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface InteractiveTransaction {
  readonly transaction: WriteTransaction;
  /** Resolves when the writer is free again, with null if there is nothing to commit. Rejects if the group is lost. */
  readonly ended: Promise<GroupMember | null>;
}

/** Callbacks for the commit of the group, or its loss. */
export interface GroupMember {
  settle(): void;
  fail(error: unknown): void;
}

type Send = (request: WriterRequest) => Promise<readonly Outcome[]>;

export function createInteractiveTransaction(send: Send, limitMs: number): InteractiveTransaction {
  const ended = Promise.withResolvers<GroupMember | null>();
  const committed = Promise.withResolvers<void>();
  /** Why further statements are refused: an earlier failure, the time limit, or the end of the transaction. */
  let refusal: Error | null = null;
  let state: "idle" | "begun" | "ended" = "idle";
  let last: Promise<unknown> = Promise.resolve();

  const timer = setTimeout(() => {
    refusal ??= timeout(limitMs);
    inOrder(() => end("rollback")).catch(() => undefined);
  }, limitMs);

  return {
    ended: ended.promise,
    transaction: {
      execute,
      async *stream(statement, size) {
        // Reads all rows at once, because an open read would block the writer thread.
        const { rows } = await execute(statement);
        for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
      },
      async commit() {
        await inOrder(async () => {
          const reason = refusal;
          await end(reason === null ? "commit" : "rollback");
          if (reason !== null) throw reason;
        });
        await committed.promise;
      },
      rollback: () => inOrder(() => end("rollback")),
    },
  };

  /** Runs concurrent calls one after the other. */
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  function execute(statement: Statement): Promise<Result> {
    return inOrder(async () => {
      if (refusal !== null) throw refusal;
      const isFirst = state === "idle";
      state = "begun";
      const [outcome] = await sendOrLose({ kind: "execute", statement, isFirst });
      if (outcome?.ok) return outcome.result;
      refusal = aborted();
      throw outcome === undefined
        ? new Error("The writer returned no result for this statement.")
        : toError(outcome.error);
    });
  }

  /** If the writer itself fails, the whole group is lost. */
  async function sendOrLose(request: WriterRequest): Promise<readonly Outcome[]> {
    try {
      return await send(request);
    } catch (error) {
      close(error instanceof Error ? error : new Error(String(error)));
      ended.reject(error);
      throw error;
    }
  }

  async function end(kind: "commit" | "rollback"): Promise<void> {
    if (state === "ended") return;
    if (state === "begun") await sendOrLose({ kind });
    close(new StoreError("closed", "The transaction has ended."));
    ended.resolve(kind === "commit" ? { settle: committed.resolve, fail: committed.reject } : null);
  }

  function close(reason: Error): void {
    clearTimeout(timer);
    refusal ??= reason;
    state = "ended";
  }
}

function timeout(limitMs: number): StoreError {
  return new StoreError(
    "timeout",
    `The machine is too slow or too busy: a transaction held the writer for more than ${limitMs} ms and was rolled back. Try again.`,
  );
}

function aborted(): StoreError {
  return new StoreError(
    "aborted",
    "An earlier statement of this transaction failed; only a rollback is possible, and nothing was stored.",
  );
}
