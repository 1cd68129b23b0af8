/**
 * A connection in its own thread. Cloning, redaction and bundles block the main thread: heartbeats would stop, and the panel would
 * reassign a healthy run.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- that is a rule for windows; threads have no origin */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { DialOptions } from "./dial.ts";
import type { OnEvent, Connection, ConnectionEvent, WorkerStatus } from "./connection.ts";

export type ThreadOptions = Omit<DialOptions, "clock" | "onEvent">;

export type ToThread =
  | { readonly kind: "send"; readonly connection: number; readonly text: string }
  | { readonly kind: "status"; readonly status: WorkerStatus }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "close" };

export interface FromThread {
  /** Number of the connection that received it, counted by welcomes. */
  readonly connection: number;
  readonly event: ConnectionEvent;
}

export function connectInThread(options: ThreadOptions, onEvent: OnEvent): Connection {
  // The environment holds the key and other secrets that the thread does not need.
  const worker = new Worker(new URL("./connection-thread.ts", import.meta.url), { workerData: options, env: {} });
  let connection = 0;
  worker.on("message", (message: FromThread) => {
    ({ connection } = message);
    onEvent(message.event);
  });
  const ended = once(worker, "exit");
  const post = (message: ToThread) => worker.postMessage(message);

  return {
    send: (text) => post({ kind: "send", connection, text }),
    setStatus: (status) => post({ kind: "status", status }),
    useKey: (key) => post({ kind: "key", key }),
    async close() {
      post({ kind: "close" });
      await ended;
    },
  };
}
