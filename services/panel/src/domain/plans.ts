/** Limits of each plan (section 1.1) and quota checks. A downgrade deletes nothing and only blocks new resources. */
import type { PlanId } from "@triptych/contracts";

export interface PlanTerms {
  readonly explore: boolean;
  readonly exploresPerDay: number;
  readonly runsPerMonth: number;
  readonly repos: number;
  readonly memoriesPerRepo: number;
  readonly workers: number | null;
  readonly runsAtOnce: number;
  readonly runsAtOnceOfRepo: number;
  readonly parallelRunsOfRepo: number;
  readonly retentionDays: number;
}

export const PLAN_TERMS: Readonly<Record<PlanId, PlanTerms>> = {
  free: {
    explore: false,
    exploresPerDay: 0,
    runsPerMonth: 100,
    repos: 5,
    memoriesPerRepo: 20,
    workers: 3,
    runsAtOnce: 1,
    runsAtOnceOfRepo: 1,
    parallelRunsOfRepo: 1,
    retentionDays: 30,
  },
  pro: {
    explore: true,
    exploresPerDay: 50,
    runsPerMonth: 2_000,
    repos: 50,
    memoriesPerRepo: 200,
    workers: 20,
    runsAtOnce: 4,
    runsAtOnceOfRepo: 1,
    parallelRunsOfRepo: 2,
    retentionDays: 90,
  },
  team: {
    explore: true,
    exploresPerDay: 500,
    runsPerMonth: 20_000,
    repos: 1_000,
    memoriesPerRepo: 500,
    workers: null,
    runsAtOnce: 32,
    runsAtOnceOfRepo: 4,
    parallelRunsOfRepo: 4,
    retentionDays: 365,
  },
};

export type LimitedResource = "repos" | "memoriesPerRepo";

/** The smallest plan that allows one more; null if none does. */
export function planAllowing(resource: LimitedResource, current: number): PlanId | null {
  const plans: readonly PlanId[] = ["free", "pro", "team"];
  return plans.find((plan) => PLAN_TERMS[plan][resource] > current) ?? null;
}

export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Calendar month and day in UTC, when quotas reset. */
export function monthOf(now: number): Period {
  const at = new Date(now);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}

const DAY_MS = 86_400_000;

export function dayOf(now: number): Period {
  const start = Math.floor(now / DAY_MS) * DAY_MS;
  return { start, end: start + DAY_MS };
}
