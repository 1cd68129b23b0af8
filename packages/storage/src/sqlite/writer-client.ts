/**
 * Runs the writer's requests: in a thread for files, because every commit waits for the disk; inline for in-memory
 * stores. If the thread dies, current and later messages reject with the same error.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- the rule is for windows; threads have no origin */
import { Worker } from "node:worker_threads";
import { StoreError } from "../errors.ts";
import type { Statement, Value } from "../statement.ts";
import type { Connection, DurabilityLevel } from "./connection.ts";
import { createWriterCore, type Job, toError, type WriterRequest, type WriterResponse } from "./writer-protocol.ts";
import type { Message } from "./writer-thread.ts";

export interface Executor {
  perform(request: WriterRequest): Promise<WriterResponse>;
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

export async function executeInThread(path: string, sync: DurabilityLevel): Promise<Executor> {
  const thread = idle.pop() ?? startThread();
  const send = (message: Message): Promise<WriterResponse> =>
    thread.send(message).catch((cause: Error) => {
      throw new StoreError(
        "crashed",
        `The writer of ${path} stopped unexpectedly (${cause.message}); restart the program.`,
      );
    });

  const opened = await send({ path, sync });
  if (!opened.ok) {
    rest(thread);
    throw toError(opened.error);
  }

  return {
    perform: (request) => send(withOwnBytes(request)),
    close: () =>
      thread.send(null).then(
        () => rest(thread),
        // Treat a dead thread as closed.
        () => undefined,
      ),
  };
}

interface WriterThread {
  send(message: Message): Promise<WriterResponse>;
  end(): void;
}

/** Starting a thread takes 40 ms of CPU, so idle threads are reused for the next store. */
const idle: WriterThread[] = [];
const MOST_IDLE = 4;

function rest(thread: WriterThread): void {
  if (idle.length < MOST_IDLE) idle.push(thread);
  else thread.end();
}

function startThread(): WriterThread {
  const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), { name: "store-writer" });
  let waiting: PromiseWithResolvers<WriterResponse> | null = null;
  let cause: Error | null = null;

  worker.on("message", (answer: WriterResponse) => {
    waiting?.resolve(answer);
    waiting = null;
    // An idle store must not keep the process alive.
    worker.unref();
  });
  worker.on("error", (error) => die(error));
  worker.on("exit", () => die(new Error("thread exited")));

  const thread: WriterThread = {
    send(message) {
      if (cause !== null) return Promise.reject(cause);

      waiting = Promise.withResolvers<WriterResponse>();
      worker.ref();
      worker.postMessage(message);
      return waiting.promise;
    },
    end: () => void worker.terminate(),
  };
  return thread;

  function die(why: Error): void {
    cause ??= why;
    waiting?.reject(cause);
    waiting = null;
    const index = idle.indexOf(thread);
    if (index >= 0) idle.splice(index, 1);
  }
}

/** Copies small Buffers, because sending one to another thread would clone its whole pool. */
function withOwnBytes(request: WriterRequest): WriterRequest {
  if (request.kind === "execute") return { ...request, statement: statementWithOwnBytes(request.statement) };
  return request.kind === "jobs" ? { ...request, jobs: request.jobs.map(jobWithOwnBytes) } : request;
}

function jobWithOwnBytes(job: Job): Job {
  return job.kind === "call" ? job : { kind: "statement", statement: statementWithOwnBytes(job.statement) };
}

function statementWithOwnBytes({ parameters, rows, ...rest }: Statement): Statement {
  const statement = { ...rest, parameters: parameters.map(ownBytes) };
  return rows === undefined ? statement : { ...statement, rows: rows.map((row) => row.map(ownBytes)) };
}

function ownBytes(value: Value): Value {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;
}
