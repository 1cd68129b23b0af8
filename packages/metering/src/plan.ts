/**
 * Plans are data that a service supplies: what a key may do in a minute and in a day, and what its items cost. A plan is named by
 * its id in the key's record and looked up at each request, so changing a plan acts on all its keys at the next start.
 */
import type { PriceTier } from "./price.ts";

export interface Plan {
  readonly id: string;
  /** Items of one UTC day, or null for no cap. */
  readonly itemsPerDay: number | null;
  /** Requests accepted in any 60 s. */
  readonly requestsPerMinute: number;
  /** True: the operator may give one key more items a day than the plan, or no cap at all. */
  readonly raisable: boolean;
  /** Price of the month's items; empty = free. */
  readonly tiers: readonly PriceTier[];
}

export type Plans = ReadonlyMap<string, Plan>;

/** Checks the figures once, so that nothing behind has to. */
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
  if (byId.size !== plans.length) throw new RangeError("two plans have the same id");
  return byId;
}

/** The plan of a key, which the configuration of the service must know. */
export function planOf(plans: Plans, id: string): Plan {
  const plan = plans.get(id);
  if (plan === undefined)
    throw new Error(`a key has the plan "${id}", which this service does not offer; give it another with keys set`);
  return plan;
}
