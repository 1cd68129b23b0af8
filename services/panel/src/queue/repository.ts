/** The queue of one account, as the store reads it. */
import type { PlanId } from "@triptych/contracts";
import type { AccountRecord } from "../domain/records.ts";
import type { RunNeeds, WaitingRun } from "./rules.ts";

export interface QueueRepository {
  /** The first thousand queued runs in order, and the leased ones. */
  view(): Promise<QueueView>;
  leased(workerId?: string): Promise<readonly LeasedRun[]>;
  needsOf(ids: readonly string[]): Promise<ReadonlyMap<string, RunNeeds>>;
  /** False for a duplicate report of this epoch. */
  noteReport(report: { readonly runId: string; readonly epoch: number; readonly mid: string }): Promise<boolean>;
  knowsReport(report: { readonly runId: string; readonly epoch: number; readonly mid: string }): Promise<boolean>;
}

export interface QueueView {
  readonly plan: PlanId;
  readonly status: AccountRecord["status"];
  readonly waiting: readonly WaitingRun[];
  readonly leased: readonly LeasedRun[];
  /** Workers of running checks, one entry per check. */
  readonly checking: readonly (string | null)[];
}

export interface LeasedRun {
  readonly id: string;
  readonly repoId: string;
  readonly workerId: string | null;
}
