/**
 * Graduated prices per key and calendar month (UTC). A booking costs the difference between the month's price after and
 * before it, so sums are exact to the micro-euro in any order.
 */

export interface PriceTier {
  readonly upTo: number | null;
  readonly priceMicro: number;
}

/** Price in micro-euros of the items `before + 1 … before + items` of a month. Without tiers, items are free. */
export function priceOf(tiers: readonly PriceTier[], before: number, items: number): number {
  return priceOfFirst(tiers, before + items) - priceOfFirst(tiers, before);
}

function priceOfFirst(tiers: readonly PriceTier[], count: number): number {
  let amount = 0;
  let covered = 0;
  for (const { upTo, priceMicro } of tiers) {
    const end = Math.min(count, upTo ?? count);
    if (end > covered) amount += (end - covered) * priceMicro;
    covered = Math.max(covered, end);
  }
  return amount;
}

/**
 * Parses `[{"up_to":1000,"price_micro":100},{"up_to":null,"price_micro":80}]`: ascending bounds, the last one null,
 * integer prices. Throws a RangeError that names the invalid part.
 */
export function parsePriceTiers(json: string): readonly PriceTier[] {
  const tiers = readTiers(json);
  let covered = 0;
  for (const [index, { upTo, priceMicro }] of tiers.entries()) {
    const last = index === tiers.length - 1;
    if (last !== (upTo === null)) throw new RangeError("price tiers: exactly the last tier has up_to null");
    if (upTo !== null && (!Number.isSafeInteger(upTo) || upTo <= covered)) {
      throw new RangeError(`price tiers: up_to must be ascending integers, not ${upTo} after ${covered}`);
    }
    if (!Number.isSafeInteger(priceMicro) || priceMicro < 0) {
      throw new RangeError(`price tiers: price_micro must be an integer of micro-euros, not ${priceMicro}`);
    }
    covered = upTo ?? covered;
  }
  return tiers;
}

function readTiers(json: string): PriceTier[] {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch (cause) {
    throw new RangeError("price tiers: invalid JSON", { cause });
  }
  if (!Array.isArray(read) || read.length === 0) throw new RangeError("price tiers: at least one tier is required");

  return read.map((tier: unknown) => {
    if (typeof tier !== "object" || tier === null || !("up_to" in tier) || !("price_micro" in tier)) {
      throw new RangeError("price tiers: each tier needs up_to and price_micro");
    }
    const { up_to: upTo, price_micro: priceMicro } = tier;
    if ((upTo !== null && typeof upTo !== "number") || typeof priceMicro !== "number") {
      throw new RangeError("price tiers: up_to must be an integer or null, price_micro an integer");
    }
    return { upTo, priceMicro };
  });
}
