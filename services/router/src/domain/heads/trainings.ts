/** Runs trainings: prepares the texts, stores the head, trains it in a slot and records the result. */
import { WAIT_MAX } from "@triptych/contracts";
import type { HeadRecord } from "./head.ts";
import type { CreatedBefore, HeadFiles, HeadStore, Once, TrainingEnd } from "./head-store.ts";
import type { OwnedExperts } from "./owned-experts.ts";
import type { Trainer, TrainerSlot } from "./trainer.ts";
import {
  countTexts,
  lessonOf,
  type YieldToEventLoop,
  type HeadLesson,
  type TrainingRequest,
  type ShortRoute,
  type TextsOfRoutes,
} from "./training-request.ts";

export interface TrainingsParts {
  readonly store: HeadStore;
  readonly files: HeadFiles;
  readonly trainer: Trainer;
  readonly experts: Pick<OwnedExperts, "forget">;
  /** Returns equal keys for texts that training treats as duplicates. */
  readonly keyOf: (text: string, context: string) => string;
  readonly yieldToEvents: YieldToEventLoop;
  readonly process: string;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** Resolves after the delay, or when `over` aborts. */
  readonly pause: (ms: number, over: AbortSignal) => Promise<void>;
  readonly onError: (what: string, error: unknown) => void;
}

export type Ordered =
  | { readonly kind: "head"; readonly head: HeadRecord; readonly isReplayed: boolean }
  | { readonly kind: "too_few"; readonly short: readonly ShortRoute[] }
  | { readonly kind: "no_room"; readonly of: "names" | "versions" }
  | { readonly kind: "queue_full" | "other_payload" | "deleted" };

export interface Trainings {
  train(
    owner: string,
    request: TrainingRequest,
    how: { readonly once: Once | null; readonly waitMs: number },
  ): Promise<Ordered>;
  /** Returns routes with too few texts; empty if the request is acceptable. Creates nothing. */
  judge(request: TrainingRequest): Promise<readonly ShortRoute[]>;
  /** IDs of the heads in training. */
  running(): readonly string[];
  settled(): Promise<void>;
}

/** A trainer without a heartbeat for this long counts as dead. `watch` renews the lease several times. */
export const LEASE_MS = 15_000;

export function createTrainings(parts: TrainingsParts): Trainings {
  const { store, trainer, now, onError } = parts;
  const running = new Map<string, Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();

  /** Prepares one request at a time, because the expanded texts of a request need much memory. */
  function prepared(request: TrainingRequest): Promise<TextsOfRoutes & { readonly lesson: HeadLesson }> {
    const mine = last.then(async () => {
      const lesson = await lessonOf(request, parts.yieldToEvents);
      return { lesson, ...(await countTexts(lesson, parts)) };
    });
    last = mine.catch(() => undefined);
    return mine;
  }

  async function repeated(before: CreatedBefore, waitMs: number): Promise<Ordered> {
    if (before.kind !== "replayed") return before;
    if (before.head === null) return { kind: "deleted" };
    return { kind: "head", head: await waited(before.head, waitMs), isReplayed: true };
  }

  async function waited(head: HeadRecord, waitMs: number): Promise<HeadRecord> {
    const training = running.get(head.id);
    if (training !== undefined && waitMs > 0) {
      const over = new AbortController();
      await Promise.race([training, parts.pause(Math.min(waitMs, WAIT_MAX * 1000), over.signal)]);
      over.abort();
    }
    return (await store.find(head.owner, head.id)) ?? head;
  }

  return {
    async train(owner, request, { once, waitMs }) {
      const { lesson, routes, short } = await prepared(request);
      if (short.length > 0) return { kind: "too_few", short };
      // A repeated call needs no slot, because its training already has or had one.
      const before = once === null ? null : await store.createdBefore(owner, once, now());
      if (before !== null) return await repeated(before, waitMs);
      const slot = trainer.reserve();
      if (slot === null) return { kind: "queue_full" };
      const creation = await createHead(parts, lesson, { owner, routes, once }).catch((error: unknown) => {
        slot.release();
        throw error;
      });
      if (creation.kind !== "created") {
        slot.release();
        return creation.kind === "no_room" ? creation : await repeated(creation, waitMs);
      }
      const { head } = creation;
      const training = trainHead(parts, { head, lesson, slot })
        .catch((error: unknown) => onError(`storing the training result of head ${head.id} failed`, error))
        .finally(() => running.delete(head.id));
      running.set(head.id, training);
      return { kind: "head", head: await waited(head, waitMs), isReplayed: false };
    },
    judge: async (request) => (await prepared(request)).short,
    running: () => [...running.keys()],
    async settled() {
      await Promise.all(running.values());
    },
  };
}

async function createHead(
  { store, files, experts, now, newId, process }: TrainingsParts,
  { name, settings }: Pick<HeadLesson, "name" | "settings">,
  about: Pick<HeadRecord, "owner" | "routes"> & { readonly once: Once | null },
) {
  const at = now();
  const head = { id: newId("hed"), name, settings, at, trainer: process, leaseUntil: at + LEASE_MS, ...about };
  const creation = await store.create(head);
  if (creation.kind === "created") {
    experts.forget(about.owner);
    if (creation.gone !== null) await removeFile(files, creation.gone);
  }
  return creation;
}

interface Training {
  readonly head: HeadRecord;
  readonly lesson: HeadLesson;
  readonly slot: TrainerSlot;
}

async function trainHead(parts: TrainingsParts, { head: { owner, id }, lesson, slot }: Training): Promise<void> {
  const { store, files, experts, now, process, onError } = parts;
  let end: TrainingEnd;
  let bytes: Uint8Array | null = null;
  try {
    const { made, rejected, ms, bytes: trained } = await slot.train(lesson);
    end = { kind: "made", made, rejected, ms };
    bytes = rejected === null ? trained : null;
  } catch (error) {
    onError(`training of head ${id} failed`, error);
    end = { kind: "failed", reason: "internal" };
  }
  // Write the file before any row references it. An abandoned training leaves no file.
  if (end.kind === "made" && bytes !== null) await files.write({ headId: id, sha256: end.made.sha256 }, bytes);
  const head = await store.finish(owner, id, { end, at: now(), trainer: process });
  if (head === null && end.kind === "made") await files.remove({ headId: id, sha256: end.made.sha256 });
  experts.forget(owner);
}

export async function removeFile(files: Pick<HeadFiles, "remove">, { id, made }: HeadRecord): Promise<void> {
  if (made !== null) await files.remove({ headId: id, sha256: made.sha256 });
}
