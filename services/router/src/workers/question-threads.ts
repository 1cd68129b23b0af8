/**
 * Threads that answer shares of calls with many questions, beside the main thread: started by the first such call, and kept. A program is
 * slow before it has been translated, and each thread translates for itself: its first shares are practice, which nobody waits for. A
 * thread that dies is not replaced; then the main thread answers alone, as it does on a machine with one processor.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- that is a rule for windows; threads have no origin */
import { Worker } from "node:worker_threads";
import type { Helpers, Share } from "../domain/compat/answer-all.ts";
import type { QuestionThreadData, ShareAnswer, ThreadStanding } from "./question-calls.ts";

export interface QuestionThreads extends Helpers, AsyncDisposable {}

export interface QuestionThreadsParts {
  readonly threads: number;
  readonly data: () => Promise<QuestionThreadData>;
  /** What the main thread stands on: a thread that stands on something else would answer otherwise. */
  readonly standing: ThreadStanding;
  readonly onFault: (what: string, error: unknown) => void;
  /** Shares that each thread answers for nobody. */
  readonly practice?: number;
}

const PRACTICE = 12;
/** Of its heap; options that are kept lie in it. */
const HEAP_MB = 512;

export function createQuestionThreads(parts: QuestionThreadsParts): QuestionThreads {
  const helpers = Array.from({ length: parts.threads }, () => createHelper(parts));
  return {
    get free() {
      return helpers.filter(({ isFree }) => isFree).length;
    },
    async answer(share) {
      const helper = helpers.find(({ isFree }) => isFree);
      return helper === undefined ? null : await helper.answer(share);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(helpers.map((helper) => helper.stop()));
    },
  };
}

interface Helper {
  readonly isFree: boolean;
  answer(share: Share): Promise<ShareAnswer>;
  stop(): Promise<void>;
}

function createHelper({ data, standing, onFault, practice = PRACTICE }: QuestionThreadsParts): Helper {
  let thread: Worker | null = null;
  let starting: Promise<void> | null = null;
  let isFree = true;
  let isStopped = false;
  let practised = 0;
  /** Hears what becomes of the share that the thread has. */
  let settle: (texts: ShareAnswer) => void = () => undefined;

  return {
    get isFree() {
      return isFree;
    },
    async answer(share) {
      isFree = false;
      if (thread === null) {
        starting ??= start().catch((error: unknown) => onFault("A thread for questions could not be started.", error));
        return null;
      }
      const { promise, resolve } = Promise.withResolvers<ShareAnswer>();
      settle = resolve;
      // A thread without work does not hold the process.
      thread.ref();
      thread.postMessage(share);
      if (practised++ < practice) return null;
      return promise;
    },
    async stop() {
      isStopped = true;
      isFree = false;
      await starting;
      await thread?.terminate();
    },
  };

  async function start(): Promise<void> {
    const workerData = await data();
    if (isStopped) return;
    const started = new Worker(new URL("./question-thread.ts", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    thread = started;
    started.unref();
    started.once("message", (own: ThreadStanding) => {
      if (own.trunk !== standing.trunk || own.options !== standing.options) {
        onFault(
          "The trained files have changed since the start: what has many questions is answered by one thread.",
          null,
        );
        return void started.terminate();
      }
      isFree = !isStopped;
      started.on("message", (texts: ShareAnswer) => {
        started.unref();
        isFree = !isStopped;
        settle(texts);
      });
    });
    started.on("error", (error) => onFault("A thread for questions died.", error));
    started.once("exit", () => {
      isFree = false;
      settle(null);
    });
  }
}
