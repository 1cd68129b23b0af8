/** What the panel must remember of buses: an account's own by run, and those of all accounts, whose verbs serve workers and sweepers. */
import type { PlanId, RunState } from "@triptych/contracts";
import type { BusChunk, BusLines, EventFilter } from "./bus-lines.ts";
import type { BusItem } from "./records.ts";

/** The number of the bus after what was written. */
export type LastSeq = number;

export interface BusFilter extends EventFilter {
  /** Numbers above this one. */
  readonly after: number;
  /** Chunks. */
  readonly limit: number;
}

export interface BusHead {
  readonly state: RunState;
  readonly wantsPr: boolean;
  readonly lastSeq: LastSeq;
  /** The first number that is still kept; one above the last when none is. */
  readonly firstSeq: number;
}

export interface BusRepository {
  /**
   * Under the next numbers of the run, without a hole, in the order given. What has a `wseq` that this epoch has said already is left
   * out. Answers the last number of the run.
   */
  append(runId: string, epoch: number, items: readonly BusItem[]): Promise<LastSeq>;
  /** Null without such a run. */
  head(runId: string): Promise<BusHead | null>;
  /** Chunks that hold something asked for, in the order of their numbers; there may be more in them than was asked for. */
  read(runId: string, filter: BusFilter): Promise<readonly BusChunk[]>;
  /** The highest `wseq` that was said in the epoch that spoke last; 0 of any other. */
  lastWseq(runId: string, epoch: number): Promise<number>;
}

/** What a worker said of one run in one frame. */
export interface BusFrame {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
  readonly lines: BusLines;
}

/** `upto`: everything up to this `wseq` is kept. Fenced: nothing was written, the run is not this epoch's any more. */
export type Ingested =
  | { readonly kind: "stored"; readonly upto: number; readonly lastSeq: LastSeq }
  | { readonly kind: "fenced" };

export interface Buses {
  /** Frames of many runs in one commit, each fenced by the epoch of its run in that commit. Takes the lock of no account. */
  ingest(frames: readonly BusFrame[], at: number): Promise<readonly Ingested[]>;
  /** Accounts behind this one, in the order of their ids. */
  owners(above: string, most: number): Promise<readonly { readonly owner: string; readonly plan: PlanId }[]>;
  /** Removes the beginnings of buses that were kept before this time; answers how many chunks it looked at, `most` when there may be more. */
  prune(owner: string, aged: { readonly before: number; readonly most: number }): Promise<number>;
}
