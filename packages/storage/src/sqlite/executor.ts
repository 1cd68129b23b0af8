/**
 * Where the writer's steps are executed: in a thread of its own for files, because every commit waits for the disk; on the
 * spot for memory. A message is answered before the next one is sent (the turns see to that), so answers need no numbers.
 * When the thread dies, the message under way and every later one are rejected with the same sentence.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- that is a rule for windows; threads have no origin */
import { Worker } from "node:worker_threads";
import { StoreError } from "../errors.ts";
import type { Value } from "../statement.ts";
import type { Connection, Sync } from "./connection.ts";
import { type Answer, createWriterCore, type Step, toError } from "./steps.ts";

export interface Executor {
  perform(steps: readonly Step[]): Promise<Answer>;
  close(): Promise<void>;
}

export function executeHere(connection: Connection): Executor {
  const perform = createWriterCore(connection, { busyMs: 0 });
  return {
    perform,
    close: () => {
      connection.close();
      return Promise.resolve();
    },
  };
}

export async function executeInThread(path: string, sync: Sync): Promise<Executor> {
  const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), {
    workerData: { path, sync },
    name: "store-writer",
  });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  let waiting: PromiseWithResolvers<Answer> | null = Promise.withResolvers<Answer>();
  let dead: StoreError | null = null;

  worker.on("message", (answer: Answer) => {
    waiting?.resolve(answer);
    waiting = null;
    // An idle store must not keep a process alive that has nothing else to do.
    worker.unref();
  });
  worker.on("error", (error) => die(error));
  worker.on("exit", () => die(null));

  const opened = await waiting.promise;
  if (!opened.ok) {
    await exited;
    throw toError(opened.fault);
  }

  return {
    perform(steps) {
      if (dead !== null) return Promise.reject(dead);

      waiting = Promise.withResolvers<Answer>();
      worker.ref();
      worker.postMessage(steps.map(withOwnBytes));
      return waiting.promise;
    },
    async close() {
      if (dead === null) {
        worker.ref();
        worker.postMessage(null);
      }
      await exited;
    },
  };

  function die(cause: Error | null): void {
    dead ??= new StoreError(
      "crashed",
      `The writer of ${path} stopped unexpectedly${cause === null ? "" : ` (${cause.message})`}; restart the program.`,
    );
    waiting?.reject(dead);
    waiting = null;
  }
}

/** Cloning a small Buffer between threads clones the whole pool it was cut from; a copy of its own bytes does not. */
function withOwnBytes(step: Step): Step {
  if (step.kind !== "alone" && step.kind !== "within") return step;

  const { parameters, rows, ...rest } = step.statement;
  const statement = { ...rest, parameters: parameters.map(ownBytes) };
  return {
    kind: step.kind,
    statement: rows === undefined ? statement : { ...statement, rows: rows.map((row) => row.map(ownBytes)) },
  };
}

function ownBytes(value: Value): Value {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;
}
