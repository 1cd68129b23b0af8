/**
 * What the router remembers of heads. The owner leads every key: nobody's heads are found, counted or changed through another's.
 * Whatever changes a head also raises the revision of its owner, in the same commit: that is how other processes notice.
 */
import type { HeadMade, HeadReason, HeadRecord, HeadRouteView, HeadSettings, ShadowTally } from "./head.ts";
import type { FeedbackFigures } from "./feedback-figures.ts";
import type { HeadEvent } from "./head-states.ts";
import type { Recalibration } from "./trainer.ts";

/** `Idempotency-Key` of a call: hashes, kept for so long. */
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
  /** Who trains it, and until when that is believed without a sign of life. */
  readonly trainer: string;
  readonly leaseUntil: number;
  readonly once: Once | null;
}

export type Creation =
  /** `gone`: the version that made room for it. */
  | { readonly kind: "created"; readonly head: HeadRecord; readonly gone: HeadRecord | null }
  | CreatedBefore
  /** Too many names, or too many versions that are in use. */
  | { readonly kind: "no_room"; readonly of: "names" | "versions" };

export type CreatedBefore =
  /** The head that the same call has created before; null where it is deleted since. */
  { readonly kind: "replayed"; readonly head: HeadRecord | null } | { readonly kind: "other_payload" };

export type TrainingEnd =
  | { readonly kind: "made"; readonly made: HeadMade; readonly rejected: HeadReason | null; readonly ms: number }
  | { readonly kind: "failed"; readonly reason: HeadReason };

export interface Moved {
  /** As it is now. */
  readonly head: HeadRecord;
  /** `impossible` in its state, or `refused` by who was asked. */
  readonly outcome: "moved" | "impossible" | "refused";
}

export interface HeadStore {
  create(head: NewHead): Promise<Creation>;
  /** What a call with this key has created; null where none came with it. */
  createdBefore(owner: string, once: Once, now: number): Promise<CreatedBefore | null>;
  /** Ends a training of this trainer. Null: it was deleted or given up meanwhile, and nothing is written. */
  finish(
    owner: string,
    id: string,
    ended: { readonly end: TrainingEnd; readonly at: number; readonly trainer: string },
  ): Promise<HeadRecord | null>;
  /** Tells that these are still being trained. */
  renew(ids: readonly string[], leaseUntil: number): Promise<void>;
  /** Trainings whose trainer gave no sign of life fail. Answers how many. */
  giveUp(now: number): Promise<number>;
  find(owner: string, id: string): Promise<HeadRecord | null>;
  list(owner: string): Promise<readonly HeadRecord[]>;
  /** Rises with every change of this owner's heads; 0 where there was never one. */
  revision(owner: string): Promise<number>;
  /** One event, and where a version is promoted, the end of the one that was live. `allows` judges the row that is held. */
  move(
    owner: string,
    id: string,
    change: { readonly event: HeadEvent; readonly allows?: (head: HeadRecord) => boolean },
  ): Promise<Moved | null>;
  /** Another calibration of the same weights, unless somebody was faster. */
  recalibrate(
    owner: string,
    id: string,
    change: { readonly before: string; readonly made: HeadMade },
  ): Promise<boolean>;
  tally(owner: string, id: string, more: ShadowTally): Promise<void>;
  /** Deletes the head with its feedback. Null: there is none. */
  remove(owner: string, id: string): Promise<HeadRecord | null>;
}

/** A file belongs to one head: heads with equal bytes have one each, so that deleting one never takes the other's. */
export interface HeadFileKey {
  readonly headId: string;
  readonly sha256: string;
}

/** Head files. What was put is there after a crash; it is put before any row names it. */
export interface HeadFiles {
  write(key: HeadFileKey, bytes: Uint8Array): Promise<void>;
  get(key: HeadFileKey): Promise<Uint8Array | null>;
  remove(key: HeadFileKey): Promise<void>;
}

export interface FeedbackRow {
  readonly id: string;
  readonly at: number;
  /** Null where only figures are kept. */
  readonly state: string | null;
  readonly context: string;
  readonly route: string | null;
  readonly decided: string;
  readonly confidence: number;
  readonly requestId: string | null;
}

export interface FeedbackScope {
  readonly owner: string;
  /** Id of a head, or name of a shipped expert. */
  readonly about: string;
}

/** What a call was answered: how the head stands, and what became of the calibration, null where none was asked for. */
export interface FeedbackNotice {
  readonly figures: FeedbackFigures;
  readonly recalibration: Recalibration | null;
}

/** `nothing`: there was no such call, or it was cut off before its answer. */
export type FeedbackKey =
  | { readonly kind: "told"; readonly answer: FeedbackNotice }
  | { readonly kind: "other_payload" }
  | { readonly kind: "nothing" };

export type AddResult = "kept" | "replayed" | "other_payload";

export interface FeedbackStore {
  add(
    scope: FeedbackScope,
    rows: readonly FeedbackRow[],
    bounds: { readonly once: Once | null; readonly most: number },
  ): Promise<AddResult>;
  /** What a call with this key was answered. */
  findNotice(owner: string, once: Once, now: number): Promise<FeedbackKey>;
  /** Keeps the answer as long as the key. */
  saveNotice(owner: string, once: Once, answer: FeedbackNotice): Promise<void>;
  /** What figures are made of, of rows since then. */
  judged(scope: FeedbackScope, since: number): Promise<readonly Judged[]>;
  /** Rows with their texts, the newest first. */
  texts(scope: FeedbackScope, since: number): Promise<readonly FeedbackRow[]>;
  /** Removes rows that were written before, and keys of calls that have ended by now. */
  expire(ends: { readonly before: number; readonly now: number }): Promise<void>;
}

export interface Judged {
  readonly confidence: number;
  readonly isRight: boolean;
}
