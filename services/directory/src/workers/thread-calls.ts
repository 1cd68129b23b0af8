/**
 * Calls between two threads, in both directions. If a reply is missing, the other thread has ended, which also ends the
 * process: threads of one service stop together.
 */
import type { MessagePort, Worker } from "node:worker_threads";
import { StoreError, classifyStorageError } from "@triptych/storage";

/** Functions that the other side may call, by name. Arguments and results are cloned; shared memory stays shared. */
export type Verbs = Readonly<Record<string, (...parameters: never[]) => unknown>>;

export interface ThreadCalls {
  /** Rejects with what the function threw: its message, and whether the store failed. */
  call(verb: string, ...parameters: readonly unknown[]): Promise<unknown>;
}

type Message =
  | { readonly kind: "call"; readonly number: number; readonly verb: string; readonly parameters: readonly unknown[] }
  | { readonly kind: "answer"; readonly number: number; readonly value: unknown }
  | {
      readonly kind: "failure";
      readonly number: number;
      readonly message: string;
      readonly errorKind: StorageErrorKind;
    };

type StorageErrorKind = ReturnType<typeof classifyStorageError>;

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function connectThread(port: Worker | MessagePort, verbs: Verbs): ThreadCalls {
  const waiting = new Map<number, PendingCall>();
  let last = 0;

  port.on("message", (message: Message) => {
    if (message.kind === "call") void answer(message);
    else settle(message);
  });

  return {
    call(verb, ...parameters) {
      const number = ++last;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(number, { resolve, reject });
      post({ kind: "call", number, verb, parameters });
      return promise;
    },
  };

  async function answer({ number, verb, parameters }: Message & { readonly kind: "call" }): Promise<void> {
    try {
      const run = verbs[verb];
      if (run === undefined) throw new Error(`unknown thread call: ${verb}`);
      post({ kind: "answer", number, value: await run(...(parameters as never[])) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      post({ kind: "failure", number, message, errorKind: classifyStorageError(error) });
    }
  }

  function settle(message: Message & { readonly kind: "answer" | "failure" }): void {
    const caller = waiting.get(message.number);
    waiting.delete(message.number);
    if (message.kind === "answer") caller?.resolve(message.value);
    else caller?.reject(errorOf(message));
  }

  function post(message: Message): void {
    port.postMessage(message);
  }
}

function errorOf({ message, errorKind }: Message & { readonly kind: "failure" }): Error {
  if (errorKind === null) return new Error(message);
  return new StoreError(errorKind === "down" ? "closed" : "overloaded", message);
}
