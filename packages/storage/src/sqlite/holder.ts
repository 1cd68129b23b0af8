/**
 * One interactive transaction while it holds the writer. Nothing is sent before its first statement, so a transaction that
 * asks nothing costs nothing. After a failed statement it only accepts a rollback, as PostgreSQL does: a store that works
 * here works there. When its time is over it is rolled back, and whatever it asks later is refused with that reason.
 */
import { StoreError } from "../errors.ts";
import type { Result, Row, Statement } from "../statement.ts";
import { type Outcome, type Step, toError } from "./steps.ts";

export interface Turn {
  execute(statement: Statement): Promise<Result>;
  /** Rows in portions of `size`. */
  stream(statement: Statement, size: number): AsyncGenerator<Row[], void>;
  /** Resolves after the commit of the whole group. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** A savepoint was rolled back to: statements are accepted again. */
  recover(): void;
}

/** How the transaction ended. `lost` is set when the outer transaction is gone, and everybody's work in it. */
export interface End {
  readonly kind: "commit" | "rollback";
  readonly ahead: readonly Step[];
  readonly done: PromiseWithResolvers<void>;
  readonly lost: Error | null;
}

export interface Holder {
  readonly turn: Turn;
  readonly ended: Promise<End>;
}

export interface HolderOptions {
  readonly send: (steps: readonly Step[]) => Promise<readonly Outcome[]>;
  /** Steps of the group that nobody has sent yet. */
  readonly ahead: readonly Step[];
  readonly limitMs: number;
}

export function createHolder({ send, ahead, limitMs }: HolderOptions): Holder {
  const ended = Promise.withResolvers<End>();
  const done = Promise.withResolvers<void>();
  // Nobody awaits it after a rollback.
  done.promise.catch(() => undefined);
  let opened = false;
  let failed = false;
  let refusal: Error | null = null;
  let lost: Error | null = null;
  // Statements of one transaction run one after another, whatever its code awaits.
  let last: Promise<unknown> = Promise.resolve();

  const timer = setTimeout(() => {
    refusal ??= new StoreError(
      "timeout",
      `The transaction held the writer for more than ${limitMs} ms and was rolled back; nobody else could write meanwhile.`,
    );
    void last.then(() => end("rollback"));
  }, limitMs);

  return {
    ended: ended.promise,
    turn: {
      execute,
      async *stream(statement, size) {
        // All at once: rows left behind in the writer's thread would hold up its other work.
        const { rows } = await execute(statement);
        for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
      },
      async commit() {
        await last;
        if (refusal !== null) throw refusal;
        if (failed) {
          end("rollback");
          throw new StoreError("aborted", "A statement of this transaction failed, so nothing of it was stored.");
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
    const result = last.then(() => run(statement));
    last = result.catch(() => undefined);
    return result;
  }

  async function run(statement: Statement): Promise<Result> {
    if (refusal !== null) throw refusal;
    if (failed && !/^\s*rollback\s+to\b/i.test(statement.sql)) {
      throw new StoreError(
        "aborted",
        "An earlier statement of this transaction failed; only a rollback is possible now.",
      );
    }
    const outcome = await sendWithin(statement);
    if (outcome === undefined) throw new Error("The writer gave no answer for this statement.");
    if (outcome.ok) return outcome.result;

    failed = true;
    throw toError(outcome.fault);
  }

  async function sendWithin(statement: Statement): Promise<Outcome | undefined> {
    const first: readonly Step[] = opened ? [] : [...ahead, { kind: "savepoint" }];
    opened = true;
    try {
      const [outcome] = await send([...first, { kind: "within", statement }]);
      return outcome;
    } catch (error) {
      lost = error instanceof Error ? error : new Error(String(error));
      refusal = lost;
      end("rollback");
      throw lost;
    }
  }

  function end(kind: "commit" | "rollback"): void {
    clearTimeout(timer);
    refusal ??= new StoreError("closed", "The transaction is over.");
    const closing: Step = { kind: kind === "commit" ? "release" : "undo" };
    ended.resolve({ kind, ahead: opened ? [closing] : ahead, done, lost });
  }
}
