/**
 * A line in a thread of its own. Agents are processes, but cloning, redaction and bundles share the main thread: a heart there would
 * stop with them, and the panel would give a healthy run to somebody else.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- that is a rule for windows; threads have no origin */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { DialOptions } from "./dial.ts";
import type { Hear, Line, LineEvent, Standing } from "./connection.ts";

export type ThreadOptions = Omit<DialOptions, "pace" | "hear">;

export type ToThread =
  | { readonly kind: "send"; readonly connection: number; readonly text: string }
  | { readonly kind: "stand"; readonly standing: Standing }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "close" };

export interface FromThread {
  /** Which connection it was heard on, counted by their welcomes. */
  readonly connection: number;
  readonly event: LineEvent;
}

export function openThreadLine(options: ThreadOptions, hear: Hear): Line {
  // The environment holds the key and much that is nobody's business there.
  const worker = new Worker(new URL("./connection-thread.ts", import.meta.url), { workerData: options, env: {} });
  let connection = 0;
  worker.on("message", (said: FromThread) => {
    ({ connection } = said);
    hear(said.event);
  });
  const ended = once(worker, "exit");
  const tell = (message: ToThread) => worker.postMessage(message);

  return {
    send: (text) => tell({ kind: "send", connection, text }),
    stand: (standing) => tell({ kind: "stand", standing }),
    useKey: (key) => tell({ kind: "key", key }),
    async close() {
      tell({ kind: "close" });
      await ended;
    },
  };
}
