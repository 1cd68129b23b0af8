import { liveAndTest } from "@triptych/api-keys";
import { definePlans, parsePriceTiers, type Plans } from "@triptych/usage-metering";
import { PLANS } from "../domain/plans.ts";

export const KEY_FORMS = liveAndTest("dir");

/** @param tiers JSON of `DIRECTORY_PRICE_TIERS`; throws an error that describes what is invalid. */
export function meteredPlans(tiers: string): Plans {
  return definePlans(
    Object.values(PLANS).map(({ id, itemsPerDay, requestsPerMinute }) => {
      const paid = id === "pro";
      return { id, itemsPerDay, requestsPerMinute, raisable: paid, tiers: paid ? parsePriceTiers(tiers) : [] };
    }),
  );
}
