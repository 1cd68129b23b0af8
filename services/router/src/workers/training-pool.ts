/**
 * Trains heads in worker threads, two at a time with sixteen queued. Threads are started on demand and reused. A thread
 * that crashes or times out fails only its own training and is replaced.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- that is a rule for windows; threads have no origin */
import { Worker } from "node:worker_threads";
import { TRAININGS_AT_ONCE, TRAININGS_QUEUED_MAX } from "@triptych/contracts";
import type { Recalibrated, TrainedFile, Trainer, TrainerSlot } from "../domain/heads/trainer.ts";
import { closeGate, createNativeGate, type NativeGate } from "./native-call-lock.ts";
import type { TrainingAnswer, TrainingCall, TrainingEnv, TrainingThreadData } from "./training-calls.ts";

/** The largest accepted training takes several minutes on a slow core. */
const LONGEST_MS = 30 * 60_000;
/** Limits the V8 heap only; vectors and logits are off-heap. */
const HEAP_MB = 1024;

export interface TrainingPool extends Trainer {
  /** Terminates the threads; their trainings fail. */
  stop(): Promise<void>;
}

interface Waiting {
  readonly call: TrainingCall;
  resolve(answer: TrainingAnswer): void;
  reject(error: Error): void;
}

export function createTrainingPool(env: () => Promise<TrainingEnv>): TrainingPool {
  const queue: Waiting[] = [];
  const idle: Worker[] = [];
  const gates = new Map<Worker, NativeGate>();
  let running = 0;
  /** Number of reserved slots: running, queued or about to be stored. */
  let taken = 0;
  let isStopped = false;

  const ask = (call: TrainingCall) =>
    new Promise<TrainingAnswer>((resolve, reject) => {
      if (isStopped) return reject(new Error("The training threads are stopped."));
      queue.push({ call, resolve, reject });
      next();
    });

  function next(): void {
    if (running >= TRAININGS_AT_ONCE) return;
    const waiting = queue.shift();
    if (waiting === undefined) return;
    running += 1;
    void run(waiting.call)
      .then(waiting.resolve, waiting.reject)
      .finally(() => {
        running -= 1;
        next();
      });
  }

  async function run(call: TrainingCall): Promise<TrainingAnswer> {
    const thread = idle.pop() ?? (await startThread());
    const answer = await answerOf(thread, call, () => end(thread));
    idle.push(thread);
    return answer;
  }

  async function startThread(): Promise<Worker> {
    const gate = createNativeGate();
    const workerData: TrainingThreadData = { env: await env(), gate };
    const thread = new Worker(new URL("./training-thread.ts", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    // An idle thread must not keep the process alive.
    thread.unref();
    gates.set(thread, gate);
    thread.once("exit", () => {
      gates.delete(thread);
      const index = idle.indexOf(thread);
      if (index >= 0) idle.splice(index, 1);
    });
    return thread;
  }

  async function end(thread: Worker): Promise<void> {
    const gate = gates.get(thread);
    if (gate !== undefined) await closeGate(gate);
    await thread.terminate();
  }

  return {
    reserve() {
      if (taken >= TRAININGS_AT_ONCE + TRAININGS_QUEUED_MAX) return null;
      taken += 1;
      return createSlot(ask, () => (taken -= 1));
    },
    async stop() {
      isStopped = true;
      for (const { reject } of queue.splice(0)) reject(new Error("The training threads are stopped."));
      await Promise.all([...gates.keys()].map(end));
    },
  };
}

/** `onRelease` runs once. */
function createSlot(ask: (call: TrainingCall) => Promise<TrainingAnswer>, onRelease: () => void): TrainerSlot {
  let isLocked = true;
  const release = () => {
    if (isLocked) onRelease();
    isLocked = false;
  };
  return {
    release,
    async train(lesson): Promise<TrainedFile> {
      const answer = await ask({ kind: "train", lesson }).finally(release);
      return answer.kind === "trained" ? answer.file : refuse(answer);
    },
    async recalibrate(job): Promise<Recalibrated> {
      const answer = await ask({ kind: "recalibrate", job }).finally(release);
      return answer.kind === "recalibrated" ? answer.outcome : refuse(answer);
    },
  };
}

function answerOf(thread: Worker, call: TrainingCall, end: () => Promise<void>): Promise<TrainingAnswer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: TrainingAnswer) => settle(() => resolve(answer));
    const onError = (error: unknown) => settle(() => reject(new Error(`A training thread died: ${nameOf(error)}.`)));
    const onExit = () => settle(() => reject(new Error("A training thread exited before it finished.")));
    const limit = setTimeout(() => void end(), LONGEST_MS);
    const settle = (done: () => void) => {
      clearTimeout(limit);
      thread.off("message", onMessage).off("error", onError).off("exit", onExit);
      thread.unref();
      done();
    };
    thread.ref();
    thread.on("message", onMessage).on("error", onError).on("exit", onExit);
    thread.postMessage(call);
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}

function refuse(answer: TrainingAnswer): never {
  const where = answer.kind === "failed" ? `${answer.error}\n${answer.frames}` : answer.kind;
  throw new Error(`The training failed: ${where}`);
}
