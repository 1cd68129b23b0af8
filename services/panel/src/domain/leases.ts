/**
 * Leases of runs. The epoch counts every lease and never decreases: writes with another epoch are fenced off. The attempt counts leases
 * that may have failed and is reset where the run is not to blame. Only the holder extends the lease; its column is separate, so edits
 * never touch it.
 */
import { ATTEMPTS_MAX, type RunState } from "@triptych/contracts";
import { isLeased, type RunEvent } from "./run-states.ts";

export interface Lease {
  readonly state: RunState;
  readonly epoch: number;
  readonly attempt: number;
  readonly leaseUntil: number | null;
}

export function nextLease(run: Pick<Lease, "epoch" | "attempt">, now: number, leaseMs: number) {
  return { epoch: run.epoch + 1, attempt: run.attempt + 1, leaseUntil: now + leaseMs };
}

/** A requeue without blame keeps the epoch, so that late reports of the old holder stay fenced off. */
export function attemptAfterRequeue({ attempt }: Pick<Lease, "attempt">): number {
  return Math.max(0, attempt - 1);
}

export function isLeasedAt(run: Pick<Lease, "state" | "epoch">, epoch: number): boolean {
  return run.epoch === epoch && isLeased(run.state);
}

/** The second attempt is immediate. The third is delayed, because the cause of two failures may be temporary. */
const LATER_DELAY_MS = 15_000;

export interface ExpiredLease {
  readonly event: Extract<RunEvent, "lapsed" | "lapsed_for_good">;
  readonly notBefore: number;
}

/** What the sweeper does with a run at `now`; null while its lease is valid. */
export function expiredLeaseOf({ state, attempt, leaseUntil }: Lease, now: number): ExpiredLease | null {
  if (!isLeased(state) || leaseUntil === null || leaseUntil > now) return null;
  if (attempt >= ATTEMPTS_MAX) return { event: "lapsed_for_good", notBefore: now };
  return { event: "lapsed", notBefore: attempt <= 1 ? now : now + LATER_DELAY_MS };
}

/** After a start, workers have this long to reconnect, however short leases are: downtime of the panel must not requeue runs. */
const GRACE_AT_START_MS = 45_000;

export function leaseAfterStart(leaseUntil: number, now: number): number {
  return Math.max(leaseUntil, now + GRACE_AT_START_MS);
}
