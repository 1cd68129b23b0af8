/**
 * Plans of a service: limits per minute and day, and prices. Keys reference plans by ID, so a changed plan applies to
 * all its keys after a restart.
 */
import type { PriceTier } from "./price.ts";

/** The part of a key that metering needs. */
export interface MeteredKey {
  readonly id: string;
  readonly plan: string;
  readonly test: boolean;
  /** Items per UTC day: a fixed number, no cap, or the value of the plan. */
  readonly dailyItems: number | "none" | "plan";
}

export interface Plan {
  readonly id: string;
  readonly itemsPerDay: number | null;
  readonly requestsPerMinute: number;
  /** Whether the operator may raise or remove the daily cap of a key. */
  readonly raisable: boolean;
  /** Prices of the month's items; empty means free. */
  readonly tiers: readonly PriceTier[];
}

export type Plans = ReadonlyMap<string, Plan>;

export function definePlans(plans: readonly Plan[]): Plans {
  for (const plan of plans) {
    if (!Number.isSafeInteger(plan.requestsPerMinute) || plan.requestsPerMinute < 1) {
      throw new RangeError(
        `plan ${plan.id}: requestsPerMinute must be a positive integer, not ${plan.requestsPerMinute}`,
      );
    }
    if (plan.itemsPerDay !== null && (!Number.isSafeInteger(plan.itemsPerDay) || plan.itemsPerDay < 0)) {
      throw new RangeError(`plan ${plan.id}: itemsPerDay must be an integer from 0 or null, not ${plan.itemsPerDay}`);
    }
  }

  const byId = new Map(plans.map((plan) => [plan.id, plan]));
  if (byId.size !== plans.length) throw new RangeError("two plans have the same ID");
  return byId;
}

/** The plan of a key, which must be configured. */
export function planOf(plans: Plans, id: string): Plan {
  const plan = plans.get(id);
  if (plan === undefined)
    throw new Error(`a key has the plan "${id}", which this service does not offer; change it with keys set`);
  return plan;
}

/** Items per UTC day for this key, or null without a cap. */
export function dailyItemsOf({ dailyItems }: Pick<MeteredKey, "dailyItems">, plan: Plan): number | null {
  if (dailyItems === "plan") return plan.itemsPerDay;
  return dailyItems === "none" ? null : dailyItems;
}
