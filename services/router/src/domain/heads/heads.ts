/**
 * Heads of owners: train, list, shadow, promote, delete. The process that accepts a training renews its lease; when the lease expires, any
 * process fails the training. Every response follows its commit.
 */
import { WAIT_MAX } from "@triptych/contracts";
import type { HeadRecord } from "./head.ts";
import {
  countTexts,
  lessonOf,
  type YieldToEventLoop,
  type HeadLesson,
  type TrainingRequest,
  type ShortRoute,
  type TextsOfRoutes,
} from "./training-request.ts";
import type { CreatedBefore, HeadFiles, HeadStore, Moved, Once, TrainingEnd } from "./head-store.ts";
import type { OwnedExperts } from "./owned-experts.ts";
import { passesGate } from "./promotion-gate.ts";
import type { Shadowing } from "./shadow-evaluation.ts";
import type { Trainer, TrainerSlot } from "./trainer.ts";

export interface HeadsParts {
  readonly store: HeadStore;
  readonly files: HeadFiles;
  readonly trainer: Trainer;
  readonly experts: Pick<OwnedExperts, "forget">;
  readonly shadowing: Pick<Shadowing, "flush">;
  /** Hex SHA-256 of the engine's trunk. */
  readonly trunk: string;
  /** Equal for texts that training treats as duplicates. */
  readonly keyOf: (text: string, context: string) => string;
  readonly breathe: YieldToEventLoop;
  readonly cardOf: (bytes: Uint8Array) => string;
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

export type FileRead =
  | { readonly kind: "file"; readonly sha256: string; readonly read: () => Promise<Uint8Array> }
  | { readonly kind: "none" }
  | { readonly kind: "not_ready"; readonly head: HeadRecord };

export interface Heads {
  train(
    owner: string,
    request: TrainingRequest,
    how: { readonly once: Once | null; readonly waitMs: number },
  ): Promise<Ordered>;
  /** Routes with too few texts; empty when the request is acceptable. Creates nothing. */
  judge(request: TrainingRequest): Promise<readonly ShortRoute[]>;
  find(owner: string, id: string): Promise<HeadRecord | null>;
  list(owner: string): Promise<readonly HeadRecord[]>;
  file(owner: string, id: string): Promise<FileRead>;
  card(bytes: Uint8Array): string;
  shadow(owner: string, id: string, isEnabled: boolean): Promise<Moved | null>;
  promote(owner: string, id: string, how: { readonly isForced: boolean }): Promise<Promotion | null>;
  remove(owner: string, id: string): Promise<boolean>;
  /** Renews the leases of this process and fails trainings with expired ones. */
  watch(): Promise<void>;
  settled(): Promise<void>;
}

export type Promotion = Moved | { readonly head: HeadRecord; readonly outcome: "trunk_mismatch" };

/** Without a heartbeat for this long, a trainer counts as dead. `watch` renews several times per lease. */
export const LEASE_MS = 15_000;

export function createHeads(parts: HeadsParts): Heads {
  const { store, files, trainer, experts, shadowing, trunk, now, onError } = parts;
  const running = new Map<string, Promise<void>>();

  let last: Promise<unknown> = Promise.resolve();

  /** One request at a time, because the expanded texts of a single one fill much memory. */
  function prepared(request: TrainingRequest): Promise<TextsOfRoutes & { readonly lesson: HeadLesson }> {
    const mine = last.then(async () => {
      const lesson = await lessonOf(request, parts.breathe);
      return { lesson, ...(await countTexts(lesson, parts)) };
    });
    last = mine.catch(() => undefined);
    return mine;
  }

  async function create(
    owner: string,
    lesson: Pick<HeadLesson, "name" | "settings">,
    about: Pick<HeadRecord, "routes"> & { readonly once: Once | null },
  ) {
    const creation = await store.create({
      id: parts.newId("hed"),
      owner,
      name: lesson.name,
      at: now(),
      settings: lesson.settings,
      routes: about.routes,
      trainer: parts.process,
      leaseUntil: now() + LEASE_MS,
      once: about.once,
    });
    if (creation.kind === "created") {
      experts.forget(owner);
      if (creation.gone !== null) await removeFile(creation.gone);
    }
    return creation;
  }

  async function train({ owner, id }: HeadRecord, lesson: HeadLesson, slot: TrainerSlot): Promise<void> {
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
    await finish({ owner, id }, end, bytes);
  }

  /** Writes the file before any row names it; an abandoned training leaves no file. */
  async function finish({ owner, id }: Pick<HeadRecord, "owner" | "id">, end: TrainingEnd, bytes: Uint8Array | null) {
    if (end.kind === "made" && bytes !== null) await files.write({ headId: id, sha256: end.made.sha256 }, bytes);
    const head = await store.finish(owner, id, { end, at: now(), trainer: parts.process });
    if (head === null && end.kind === "made") await files.remove({ headId: id, sha256: end.made.sha256 });
    experts.forget(owner);
    return head;
  }

  async function removeFile({ id, made }: HeadRecord): Promise<void> {
    if (made !== null) await files.remove({ headId: id, sha256: made.sha256 });
  }

  async function repeated(before: CreatedBefore, waitMs: number): Promise<Ordered> {
    if (before.kind !== "replayed") return before;
    if (before.head === null) return { kind: "deleted" };
    return { kind: "head", head: await waited(before.head, waitMs), isReplayed: true };
  }

  async function waited(head: HeadRecord, waitMs: number): Promise<HeadRecord> {
    const training = running.get(head.id);
    if (training === undefined || waitMs <= 0) return (await store.find(head.owner, head.id)) ?? head;
    const over = new AbortController();
    await Promise.race([training, parts.pause(Math.min(waitMs, WAIT_MAX * 1000), over.signal)]);
    over.abort();
    return (await store.find(head.owner, head.id)) ?? head;
  }

  return {
    async train(owner, request, { once, waitMs }) {
      const { lesson, routes, short } = await prepared(request);
      if (short.length > 0) return { kind: "too_few", short };
      // A repeated call needs no slot: its training already has or had one.
      const before = once === null ? null : await store.createdBefore(owner, once, now());
      if (before !== null) return await repeated(before, waitMs);
      const slot = trainer.reserve();
      if (slot === null) return { kind: "queue_full" };
      const creation = await create(owner, lesson, { routes, once }).catch((error: unknown) => {
        slot.release();
        throw error;
      });
      if (creation.kind !== "created") {
        slot.release();
        return creation.kind === "no_room" ? creation : await repeated(creation, waitMs);
      }
      const { head } = creation;
      const training = train(head, lesson, slot)
        .catch((error: unknown) => onError(`storing the training result of head ${head.id} failed`, error))
        .finally(() => running.delete(head.id));
      running.set(head.id, training);
      return { kind: "head", head: await waited(head, waitMs), isReplayed: false };
    },
    judge: async (request) => (await prepared(request)).short,
    async find(owner, id) {
      await shadowing.flush();
      return await store.find(owner, id);
    },
    async list(owner) {
      await shadowing.flush();
      return await store.list(owner);
    },
    async file(owner, id) {
      const head = await store.find(owner, id);
      if (head === null) return { kind: "none" };
      const { made, state } = head;
      if (made === null || state === "rejected") return { kind: "not_ready", head };
      const { sha256 } = made;
      return { kind: "file", sha256, read: () => readFile(files, id, sha256) };
    },
    card: (bytes) => parts.cardOf(bytes),
    async shadow(owner, id, isEnabled) {
      await shadowing.flush();
      const moved = await store.move(owner, id, { event: isEnabled ? "shadow_begun" : "shadow_ended" });
      experts.forget(owner);
      return moved;
    },
    async promote(owner, id, { isForced }) {
      await shadowing.flush();
      const head = await store.find(owner, id);
      if (head?.made !== undefined && head.made !== null && head.made.trunk !== trunk)
        return { head, outcome: "trunk_mismatch" };
      // A retired version has been live, so a rollback is always allowed.
      const allows = ({ state, shadow }: HeadRecord) =>
        isForced || state === "live" || state === "retired" || passesGate(shadow);
      const moved = await store.move(owner, id, { event: "promoted", allows });
      experts.forget(owner);
      return moved;
    },
    async remove(owner, id) {
      const removed = await store.remove(owner, id);
      experts.forget(owner);
      if (removed !== null) await removeFile(removed);
      return removed !== null;
    },
    async watch() {
      await store.renew([...running.keys()], now() + LEASE_MS);
      await store.giveUp(now());
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}

async function readFile(files: Pick<HeadFiles, "get">, headId: string, sha256: string): Promise<Uint8Array> {
  const bytes = await files.get({ headId, sha256 });
  if (bytes === null) throw new Error(`The file of head ${headId} is missing.`);
  return bytes;
}
