/**
 * An interactive transaction while it holds the writer. After a failed statement only a rollback is accepted, as in
 * PostgreSQL; after a timeout it is rolled back. Concurrent statements share a message: the round trip to the writer
 * thread costs more than most statements.
 */
import { StoreError } from "../errors.ts";
import type { Result, Row, Statement } from "../statement.ts";
import { type Outcome, type Step, toError } from "./writer-protocol.ts";

export interface WriteTransaction {
  execute(statement: Statement): Promise<Result>;
  /** Rows in batches of `size`. */
  stream(statement: Statement, size: number): AsyncGenerator<Row[], void>;
  /** Resolves after the commit of the whole group. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** After a rollback to a savepoint: statements are accepted again. */
  recover(): void;
}

/** How the transaction ended. `lost` is set if the outer transaction failed, with the work of all its members. */
export interface TransactionEnd {
  readonly kind: "commit" | "rollback";
  readonly ahead: readonly Step[];
  readonly done: PromiseWithResolvers<void>;
  readonly lost: Error | null;
}

export interface InteractiveTransaction {
  readonly transaction: WriteTransaction;
  readonly ended: Promise<TransactionEnd>;
}

export interface HolderOptions {
  readonly send: (steps: readonly Step[]) => Promise<readonly Outcome[]>;
  readonly ahead: readonly Step[];
  readonly limitMs: number;
}

export function createInteractiveTransaction({ send, ahead, limitMs }: HolderOptions): InteractiveTransaction {
  const ended = Promise.withResolvers<TransactionEnd>();
  const done = Promise.withResolvers<void>();
  // After a rollback, nothing awaits it.
  done.promise.catch(() => undefined);
  let opened = false;
  let failed = false;
  let refusal: Error | null = null;
  let lost: Error | null = null;
  let waiting: Waiting[] = [];
  let last: Promise<void> = Promise.resolve();

  const timer = setTimeout(() => {
    refusal ??= new StoreError(
      "timeout",
      `The machine is too slow or too busy: a transaction held the writer for more than ${limitMs} ms and was rolled back. Try again.`,
    );
    void last.then(() => end("rollback"));
  }, limitMs);

  return {
    ended: ended.promise,
    transaction: {
      execute,
      async *stream(statement, size) {
        // Reads all rows: an open read would block the writer thread.
        const { rows } = await execute(statement);
        for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
      },
      async commit() {
        await last;
        if (refusal !== null) throw refusal;
        if (failed) {
          end("rollback");
          throw new StoreError("aborted", "A statement of this transaction failed, so nothing was stored.");
        }
        end("commit");
        await done.promise;
      },
      async rollback() {
        await last;
        end("rollback");
      },
      recover() {
        failed = false;
      },
    },
  };

  function execute(statement: Statement): Promise<Result> {
    const result = Promise.withResolvers<Result>();
    waiting.push({ statement, result });
    if (waiting.length === 1) last = last.then(run);
    return result.promise;
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const together = takeTogether();
      try {
        await runTogether(together);
      } catch (error) {
        for (const { result } of together) result.reject(error);
      }
    }
  }

  /** Savepoint statements are sent alone, because their neighbors depend on the outcome of the others. */
  function takeTogether(): Waiting[] {
    const end = waiting.findIndex(({ statement }, index) => index > 0 && isControl(statement));
    const [first] = waiting;
    const count = first !== undefined && isControl(first.statement) ? 1 : end === -1 ? waiting.length : end;
    const together = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return together;
  }

  async function runTogether(together: readonly Waiting[]): Promise<void> {
    if (refusal !== null) throw refusal;
    if (failed && !together.every(({ statement }) => /^\s*rollback\s+to\b/i.test(statement.sql))) throw afterFailure();

    const outcomes = await sendWithin(together.map(({ statement }) => statement));
    for (const [index, { result }] of together.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) result.reject(new Error("The writer returned no result for this statement."));
      // Statements after a failed one are rolled back too.
      else if (failed && outcome.ok && index > 0) result.reject(afterFailure());
      else if (outcome.ok) result.resolve(outcome.result);
      else {
        result.reject(failed && index > 0 ? afterFailure() : toError(outcome.error));
        failed = true;
      }
    }
  }

  async function sendWithin(statements: readonly Statement[]): Promise<readonly Outcome[]> {
    const first: readonly Step[] = opened ? [] : [...ahead, { kind: "savepoint" }];
    opened = true;
    try {
      return await send([...first, ...statements.map((statement): Step => ({ kind: "within", statement }))]);
    } catch (error) {
      lost = error instanceof Error ? error : new Error(String(error));
      refusal = lost;
      end("rollback");
      throw lost;
    }
  }

  function end(kind: "commit" | "rollback"): void {
    clearTimeout(timer);
    refusal ??= new StoreError("closed", "The transaction has ended.");
    const closing: Step = { kind: kind === "commit" ? "release" : "undo" };
    ended.resolve({ kind, ahead: opened ? [closing] : ahead, done, lost });
  }
}

interface Waiting {
  readonly statement: Statement;
  readonly result: PromiseWithResolvers<Result>;
}

function isControl({ sql }: Statement): boolean {
  return /^\s*(savepoint|release|rollback)\b/i.test(sql);
}

function afterFailure(): StoreError {
  return new StoreError("aborted", "An earlier statement of this transaction failed; only a rollback is possible.");
}
