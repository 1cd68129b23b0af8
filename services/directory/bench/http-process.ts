/**
 * A child process that answers calls of its parent: functions with one argument and one result. Ends when the parent
 * disconnects or dies.
 */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";

/** Functions by name; arguments and results are structured-cloned. */
export type Verbs<V> = { readonly [Name in keyof V]: (argument: never) => unknown };

export interface Child<V extends Verbs<V>> extends AsyncDisposable {
  ask<Name extends keyof V & string>(
    verb: Name,
    ...argument: Parameters<V[Name]>
  ): Promise<Awaited<ReturnType<V[Name]>>>;
}

interface Question {
  readonly number: number;
  readonly verb: string;
  readonly argument: unknown;
}

interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly failure?: string;
}

export interface ChildOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The CPU to pin to, where there are several and `taskset` exists. */
  readonly processor?: number;
}

/** Whether `processor` takes effect on this machine. */
export const canPin = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** Starts a script that calls `answerParent`. Ignores stdout, collects stderr. */
export function startChild<V extends Verbs<V>>(
  script: URL,
  { environment = {}, args = [], processor }: ChildOptions = {},
): Child<V> {
  const pinned = processor !== undefined && canPin;
  const child = fork(script, args, {
    env: { ...process.env, ...environment },
    ...(pinned && { execPath: "taskset" }),
    execArgv: pinned ? ["--cpu-list", `${processor}`, process.execPath] : [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on("message", (message) => {
    // Only `answerParent` writes to this channel.
    const { number, value, failure } = message as unknown as Answer;
    const pending = waiting.get(number);
    waiting.delete(number);
    if (failure === undefined) pending?.resolve(value);
    else pending?.reject(new Error(`${script.pathname}: ${failure}`));
  });
  const ended = once(child, "exit");
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${script.pathname} exited with ${code}`));
    waiting.clear();
  });
  return {
    ask(verb, ...[argument]) {
      const question: Question = { number: ++last, verb, argument };
      const answer = Promise.withResolvers<unknown>();
      waiting.set(question.number, answer);
      child.send(question);
      // `answerParent` runs the function of that name and type.
      return answer.promise as ReturnType<typeof this.ask>;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** The child's side: answers until the parent disconnects, then calls `end` and exits. */
export function answerParent<V extends Verbs<V>>(verbs: V, end: () => Promise<void> = () => Promise.resolve()): void {
  const handlers = new Map<string, (argument: never) => unknown>(Object.entries(verbs));
  process.on("message", (message) => {
    // Only `startChild` writes to this channel, with a name in V.
    const { number, verb, argument } = message as Question;
    const run = handlers.get(verb);
    const answer = async (): Promise<unknown> => run?.(argument as never);
    answer().then(
      (value) => process.send?.({ number, value } satisfies Answer),
      (error: unknown) => process.send?.({ number, failure: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on("disconnect", () => {
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
