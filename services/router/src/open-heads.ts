import { createHash } from "node:crypto";
import { repeat } from "@triptych/server";
import { normaliseText } from "@triptych/decisions";
import type { Experts } from "./domain/experts.ts";
import type { Engine } from "./domain/engine.ts";
import { createFeedback, type Feedback } from "./domain/heads/feedback.ts";
import { createHeads, type Heads } from "./domain/heads/heads.ts";
import { createOwnedExperts, type OwnedExperts } from "./domain/heads/owned-experts.ts";
import { createShadowing, type Shadowing } from "./domain/heads/shadow-evaluation.ts";
import type { BaseModel } from "./engine/base-models.ts";
import type { RouterStore } from "./store/open-store.ts";
import { createTrainingPool } from "./workers/training-pool.ts";

export interface HeadsOptions {
  readonly baseModel: BaseModel;
  readonly engine: Engine;
  readonly shipped: Experts;
  readonly store: RouterStore;
  readonly process: string;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly onError: (what: string, error: unknown) => void;
}

export interface OpenHeads extends AsyncDisposable {
  readonly heads: Heads;
  readonly experts: OwnedExperts;
  readonly shadowing: Shadowing;
  readonly feedback: Feedback;
}

const FLUSH_MS = 1000;
/** Three renewals per lease. */
const WATCH_MS = 5000;
const EXPIRE_MS = 3_600_000;

export async function openHeads(options: HeadsOptions): Promise<OpenHeads> {
  const { baseModel, engine, store, now, newId, onError } = options;
  await using opened = new AsyncDisposableStack();
  const pool = createTrainingPool(() => baseModel.forTraining());
  const experts = createOwnedExperts({
    shipped: options.shipped,
    store: store.heads,
    files: store.files,
    trunk: baseModel.sha256,
    open: (bytes) => baseModel.open(bytes),
    now,
    onError,
  });
  const shadowing = createShadowing({ later: (work) => void setImmediate(work), write: store.heads.tally });
  const heads = createHeads({
    store: store.heads,
    files: store.files,
    trainer: pool,
    experts,
    shadowing,
    trunk: baseModel.sha256,
    keyOf: (text, context) => short(`${normaliseText(context)}\n${normaliseText(text)}`),
    yieldToEvents,
    cardOf: (bytes) => baseModel.cardOf(bytes),
    process: options.process,
    now,
    newId,
    pause,
    onError,
  });
  const feedback = createFeedback({
    engine,
    store: store.feedback,
    heads: store.heads,
    files: store.files,
    trainer: pool,
    experts,
    shadowing,
    yieldToEvents,
    now,
    newId,
  });

  opened.defer(() => shadowing.flush());
  // Stop the threads first: their trainings fail, and the store must still be open to record that.
  opened.defer(async () => {
    await pool.stop();
    await heads.settled();
  });
  for (const [what, work, everyMs] of [
    ["storing shadow counts", () => shadowing.flush(), FLUSH_MS],
    ["expiring failed trainings", () => heads.watch(), WATCH_MS],
    ["removing old feedback", () => feedback.expire(), EXPIRE_MS],
  ] as const)
    opened.adopt(repeat(work, { everyMs, onError: (error) => onError(`${what} failed; retrying`, error) }), (task) =>
      task.stop(),
    );
  // Fail trainings that a previous process left behind.
  await heads.watch();
  const parts = opened.move();
  return { heads, experts, shadowing, feedback, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Replaces long texts by their digest, because normalization can expand a character to eighteen. */
function short(text: string): string {
  return text.length <= 256 ? text : createHash("sha256").update(text).digest("base64");
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    over.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
