/**
 * Which queued run is leased next, and why the others wait. Fair first: accounts in turn, so that nobody's hundred runs hold up
 * another's one; within an account by priority, then by age.
 */
import type { PlanId, QueueReason } from "@triptych/contracts";
import { PLAN_TERMS } from "./plans.ts";

export interface QueuedRun {
  readonly id: string;
  readonly owner: string;
  readonly repoId: string;
  readonly priority: number;
  readonly queuedAt: number;
  /** Not before this: the delay after a lapse. */
  readonly notBefore: number;
  readonly plan: PlanId;
  readonly isParallel: boolean;
  /** Which worker last failed it: it is not offered first to that one again. */
  readonly failedBy: string | null;
}

/** Runs that are under way, by account and by repo. */
export interface UnderWay {
  ofOwner(owner: string): number;
  ofRepo(owner: string, repoId: string): number;
}

export interface Offer {
  readonly workerId: string;
  readonly owner: string;
  readonly now: number;
  /** Whether another worker could take it now. */
  readonly hasOthers: boolean;
}

/** Why a run waits although workers may be free; null when nothing but a worker is missing. */
export function heldUp(run: QueuedRun, underWay: UnderWay, now: number): QueueReason | null {
  if (run.notBefore > now) return "retry_delay";
  const { runsAtOnce, runsAtOnceOfRepo, parallelRunsOfRepo } = PLAN_TERMS[run.plan];
  if (underWay.ofOwner(run.owner) >= runsAtOnce) return "plan_concurrency";
  const most = run.isParallel ? parallelRunsOfRepo : runsAtOnceOfRepo;
  return underWay.ofRepo(run.owner, run.repoId) >= most ? "repo_busy" : null;
}

/** In the order in which one account's runs are offered. */
export function byTurn(one: QueuedRun, other: QueuedRun): number {
  return other.priority - one.priority || one.queuedAt - other.queuedAt || (one.id < other.id ? -1 : 1);
}

/** The run that this worker is offered; null when none fits. A worker belongs to one account and never sees another's. */
export function chooseFor(offer: Offer, queued: readonly QueuedRun[], underWay: UnderWay): QueuedRun | null {
  const fitting = queued
    .filter(({ owner }) => owner === offer.owner)
    .filter((run) => heldUp(run, underWay, offer.now) === null)
    .filter(({ failedBy }) => failedBy !== offer.workerId || !offer.hasOthers);
  return fitting.toSorted(byTurn).at(0) ?? null;
}

/** Accounts in turn: the one after the last that was served, in the order of their ids. */
export function ownersInTurn(owners: readonly string[], lastServed: string | null): readonly string[] {
  const sorted = [...new Set(owners)].toSorted();
  const next = lastServed === null ? 0 : sorted.findIndex((owner) => owner > lastServed);
  return next <= 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
}
