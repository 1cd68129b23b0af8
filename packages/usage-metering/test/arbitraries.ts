/** Generators shared by property tests. */
import * as fc from "fast-check";
import type { PriceTier } from "../src/index.ts";

/** One to four tiers with small bounds, so that few items cross them. */
export const priceTiers: fc.Arbitrary<readonly PriceTier[]> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { maxLength: 3 }),
    fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 }),
  )
  .map(([bounds, prices]) => {
    const rising = bounds.toSorted((a, b) => a - b);
    return [...rising, null].map((upTo, index) => ({ upTo, priceMicro: prices[index] ?? 0 }));
  });
