/**
 * Calls between two threads: each side may answer verbs and call those of the other. An answer that never comes is the other
 * thread's end, which ends the process: the threads of one service live and die together.
 */
import type { MessagePort, Worker } from "node:worker_threads";

/** What the other side may call, by name. Arguments and answers are cloned; shared memory stays shared. */
export type Verbs = Readonly<Record<string, (...parameters: never[]) => unknown>>;

export interface ThreadCalls {
  /** Throws what the verb threw, with its message and code. */
  call(verb: string, ...parameters: readonly unknown[]): Promise<unknown>;
}

type Message =
  | { readonly kind: "call"; readonly number: number; readonly verb: string; readonly parameters: readonly unknown[] }
  | { readonly kind: "answer"; readonly number: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly number: number; readonly message: string; readonly code: unknown };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function connectThread(port: Worker | MessagePort, verbs: Verbs): ThreadCalls {
  const waiting = new Map<number, Waiting>();
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
      if (run === undefined) throw new Error(`the thread knows no verb ${verb}`);
      post({ kind: "answer", number, value: await run(...(parameters as never[])) });
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      post({ kind: "failure", number, message: error instanceof Error ? error.message : String(error), code });
    }
  }

  function settle(message: Message & { readonly kind: "answer" | "failure" }): void {
    const caller = waiting.get(message.number);
    waiting.delete(message.number);
    if (message.kind === "answer") caller?.resolve(message.value);
    else
      caller?.reject(Object.assign(new Error(message.message), message.code !== undefined && { code: message.code }));
  }

  function post(message: Message): void {
    port.postMessage(message);
  }
}
