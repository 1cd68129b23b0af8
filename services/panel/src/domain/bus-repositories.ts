/** Buses of one account by run, and system queries across accounts. */
import type { PlanId, RunState } from "@triptych/contracts";
import type { BusChunk, BusLines, EventFilter } from "./bus-lines.ts";
import type { BusItem } from "./records.ts";

export type LastSeq = number;

export interface BusFilter extends EventFilter {
  readonly after: number;
  readonly limit: number;
}

export interface BusHead {
  readonly state: RunState;
  readonly wantsPr: boolean;
  readonly lastSeq: LastSeq;
  /** The first stored number; `lastSeq + 1` when nothing is stored. */
  readonly firstSeq: number;
}

export interface BusRepository {
  /** Appends under the next numbers, without gaps. Skips every `wseq` that this epoch has already written. Returns the last number. */
  append(runId: string, epoch: number, items: readonly BusItem[]): Promise<LastSeq>;
  head(runId: string): Promise<BusHead | null>;
  /** Chunks with a match, by number; they may contain other messages too. */
  read(runId: string, filter: BusFilter): Promise<readonly BusChunk[]>;
  /** The highest stored `wseq` where this epoch wrote last; otherwise 0. */
  lastWseq(runId: string, epoch: number): Promise<number>;
}

export interface BusFrame {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
  readonly lines: BusLines;
}

/** `upto`: everything up to this `wseq` is stored. Fenced: the run has another epoch, and nothing was written. */
export type Ingested =
  | { readonly kind: "stored"; readonly upto: number; readonly lastSeq: LastSeq }
  | { readonly kind: "fenced" };

export interface Buses {
  /** Writes frames of many runs in one commit, each fenced by its run's epoch. Takes no account lock. */
  ingest(frames: readonly BusFrame[], at: number): Promise<readonly Ingested[]>;
  /** Accounts after this ID, in the order of IDs. */
  owners(above: string, most: number): Promise<readonly { readonly owner: string; readonly plan: PlanId }[]>;
  /** Removes the oldest chunks stored before this time. Returns the number of chunks examined; `most` means that more may remain. */
  prune(owner: string, aged: { readonly before: number; readonly most: number }): Promise<number>;
}
