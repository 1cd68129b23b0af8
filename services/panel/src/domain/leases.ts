/**
 * Leases of runs. The epoch counts every lease and never falls: whoever writes with another epoch than the run's is fenced off. The
 * attempt counts leases that could have gone wrong, and is given back where nobody is to blame. Only the holder moves the lease:
 * the liveness clock is a column of its own that no edit touches.
 */
import { ATTEMPTS_MAX, type RunState } from "@triptych/contracts";
import { isLeased, type RunEvent } from "./run-states.ts";

export interface Lease {
  readonly state: RunState;
  readonly epoch: number;
  readonly attempt: number;
  /** Milliseconds since 1970; null while nobody holds it. */
  readonly leaseUntil: number | null;
}

/** The lease that a worker gets next. */
export function nextLease(run: Pick<Lease, "epoch" | "attempt">, now: number, leaseMs: number) {
  return { epoch: run.epoch + 1, attempt: run.attempt + 1, leaseUntil: now + leaseMs };
}

/** A run that comes back without fault of the run keeps its epoch, so that late words of the old holder stay late. */
export function attemptAfterRequeue({ attempt }: Pick<Lease, "attempt">): number {
  return Math.max(0, attempt - 1);
}

/** Whether a worker's word about a run is heard. */
export function isLeasedAt(run: Pick<Lease, "state" | "epoch">, epoch: number): boolean {
  return run.epoch === epoch && isLeased(run.state);
}

/** The second try comes at once, a third after a breath: what killed two workers may be passing. */
const LATER_DELAY_MS = 15_000;

export interface ExpiredLease {
  readonly event: Extract<RunEvent, "lapsed" | "lapsed_for_good">;
  /** Not leased again before this. */
  readonly notBefore: number;
}

/** What the sweeper does with a run at `now`; null while its lease lasts. */
export function expiredLeaseOf({ state, attempt, leaseUntil }: Lease, now: number): ExpiredLease | null {
  if (!isLeased(state) || leaseUntil === null || leaseUntil > now) return null;
  if (attempt >= ATTEMPTS_MAX) return { event: "lapsed_for_good", notBefore: now };
  return { event: "lapsed", notBefore: attempt <= 1 ? now : now + LATER_DELAY_MS };
}

/** A start of the panel gives every holder time to come back, however short leases are: nothing is requeued by our own absence. */
const GRACE_AT_START_MS = 45_000;

export function leaseAfterStart(leaseUntil: number, now: number): number {
  return Math.max(leaseUntil, now + GRACE_AT_START_MS);
}
