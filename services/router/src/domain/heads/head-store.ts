/**
 * The repository of heads. Every key starts with the owner, so that no call can reach another owner's heads. Each
 * change increments the owner's revision in the same commit, where other processes detect it.
 */
import type { HeadMade, HeadReason, HeadRecord, HeadRouteView, HeadSettings, ShadowTally } from "./head.ts";
import type { FeedbackFigures, JudgedRow } from "./feedback-figures.ts";
import type { HeadEvent } from "./head-states.ts";
import type { Recalibration } from "./trainer.ts";

/** `Idempotency-Key` of a call: hashes of key and payload, with an expiry. */
export interface Once {
  readonly key: string;
  readonly payload: string;
  readonly expiresAt: number;
}

export interface NewHead {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly at: number;
  readonly settings: HeadSettings;
  readonly routes: readonly HeadRouteView[];
  /** The process that trains the head, and the end of its lease. */
  readonly trainer: string;
  readonly leaseUntil: number;
  readonly once: Once | null;
}

export type Creation =
  /** `gone`: the evicted version. */
  | { readonly kind: "created"; readonly head: HeadRecord; readonly gone: HeadRecord | null }
  | CreatedBefore
  /** There are too many names, or too many versions in use. */
  | { readonly kind: "no_room"; readonly of: "names" | "versions" };

export type CreatedBefore =
  /** The head that an earlier call with this key created; null if it was deleted since. */
  { readonly kind: "replayed"; readonly head: HeadRecord | null } | { readonly kind: "other_payload" };

export type TrainingEnd =
  | { readonly kind: "made"; readonly made: HeadMade; readonly rejected: HeadReason | null; readonly ms: number }
  | { readonly kind: "failed"; readonly reason: HeadReason };

export interface Moved {
  readonly head: HeadRecord;
  /** `impossible` in the current state, or `refused` by `allows`. */
  readonly outcome: "moved" | "impossible" | "refused";
}

export interface HeadStore {
  create(head: NewHead): Promise<Creation>;
  /** The result of an earlier call with this key; null if there was none. */
  createdBefore(owner: string, once: Once, now: number): Promise<CreatedBefore | null>;
  /** Ends a training of this trainer. Returns null and writes nothing if it was deleted or its lease expired. */
  finish(
    owner: string,
    id: string,
    ended: { readonly end: TrainingEnd; readonly at: number; readonly trainer: string },
  ): Promise<HeadRecord | null>;
  /** Renews the leases of these trainings. */
  renew(ids: readonly string[], leaseUntil: number): Promise<void>;
  /** Fails trainings with an expired lease. Returns their number. */
  giveUp(now: number): Promise<number>;
  find(owner: string, id: string): Promise<HeadRecord | null>;
  list(owner: string): Promise<readonly HeadRecord[]>;
  /** Incremented by every change of this owner's heads; 0 before the first change. */
  revision(owner: string): Promise<number>;
  /** Applies one event; a promotion also retires the live version. `allows` checks the locked row. */
  move(
    owner: string,
    id: string,
    change: { readonly event: HeadEvent; readonly allows?: (head: HeadRecord) => boolean },
  ): Promise<Moved | null>;
  /** Replaces the calibration of the same weights, unless a concurrent call already has. */
  recalibrate(
    owner: string,
    id: string,
    change: { readonly before: string; readonly made: HeadMade },
  ): Promise<boolean>;
  tally(owner: string, id: string, more: ShadowTally): Promise<void>;
  remove(owner: string, id: string): Promise<HeadRecord | null>;
}

/** One file per head, even for equal bytes, so that deleting one head never removes another head's file. */
export interface HeadFileKey {
  readonly headId: string;
  readonly sha256: string;
}

/** Head files. `write` is durable, and is called before any row references the file. */
export interface HeadFiles {
  write(key: HeadFileKey, bytes: Uint8Array): Promise<void>;
  get(key: HeadFileKey): Promise<Uint8Array | null>;
  remove(key: HeadFileKey): Promise<void>;
}

export interface FeedbackRow {
  readonly id: string;
  readonly at: number;
  readonly state: string | null;
  readonly context: string;
  readonly route: string | null;
  readonly decided: string;
  readonly confidence: number;
  readonly requestId: string | null;
}

export interface FeedbackScope {
  readonly owner: string;
  readonly about: string;
}

/** Stored result of a call: statistics, and the recalibration, which is null if not requested. */
export interface FeedbackNotice {
  readonly figures: FeedbackFigures;
  readonly recalibration: Recalibration | null;
}

/** `nothing`: no such call, or it was interrupted before its result was stored. */
export type FeedbackKey =
  | { readonly kind: "replayed"; readonly answer: FeedbackNotice }
  | { readonly kind: "other_payload" }
  | { readonly kind: "nothing" };

export type AddResult = "added" | "replayed" | "other_payload";

export interface FeedbackStore {
  add(
    scope: FeedbackScope,
    rows: readonly FeedbackRow[],
    bounds: { readonly once: Once | null; readonly most: number },
  ): Promise<AddResult>;
  findNotice(owner: string, once: Once, now: number): Promise<FeedbackKey>;
  saveNotice(owner: string, once: Once, answer: FeedbackNotice): Promise<void>;
  /** Rows since a time, for the statistics. */
  judged(scope: FeedbackScope, since: number): Promise<readonly JudgedRow[]>;
  texts(scope: FeedbackScope, since: number): Promise<readonly FeedbackRow[]>;
  /** Removes rows written before `before`, and keys expired at `now`. */
  expire(ends: { readonly before: number; readonly now: number }): Promise<void>;
}
