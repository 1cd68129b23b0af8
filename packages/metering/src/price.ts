/**
 * Graduated prices: the first items of a month cost the price of the first tier, the next ones that of the second, and so on.
 * The volume is counted over the calendar month (UTC) of one key. Each booking costs the difference of the month's price after
 * and before it, so bookings, days and months add up to the micro-euro whatever the order they are booked in.
 */

export interface PriceTier {
  /** Last item of the month that this tier covers, or null for all further ones. */
  readonly upTo: number | null;
  /** Micro-euros per item, an integer. */
  readonly priceMicro: number;
}

/** Micro-euros of the items `before + 1 … before + items` of a month. No tiers = free. */
export function priceOf(tiers: readonly PriceTier[], before: number, items: number): number {
  return priceOfFirst(tiers, before + items) - priceOfFirst(tiers, before);
}

/** Micro-euros of the first `count` items of a month. */
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
 * Reads `[{"up_to":1000,"price_micro":100},{"up_to":null,"price_micro":80}]`: rising bounds, the last one null, integer prices.
 * Throws a RangeError whose sentence names the fault.
 */
export function parsePriceTiers(json: string): readonly PriceTier[] {
  const tiers = readTiers(json);
  let covered = 0;
  for (const [index, { upTo, priceMicro }] of tiers.entries()) {
    const last = index === tiers.length - 1;
    if (last !== (upTo === null)) throw new RangeError("price tiers: exactly the last tier has up_to null");
    if (upTo !== null && (!Number.isSafeInteger(upTo) || upTo <= covered)) {
      throw new RangeError(`price tiers: up_to must be rising integers, not ${upTo} after ${covered}`);
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
    throw new RangeError("price tiers: not JSON", { cause });
  }
  if (!Array.isArray(read) || read.length === 0)
    throw new RangeError("price tiers: a list of at least one tier is needed");

  return read.map((tier: unknown) => {
    if (typeof tier !== "object" || tier === null || !("up_to" in tier) || !("price_micro" in tier)) {
      throw new RangeError("price tiers: each tier needs up_to and price_micro");
    }
    const { up_to: upTo, price_micro: priceMicro } = tier;
    if ((upTo !== null && typeof upTo !== "number") || typeof priceMicro !== "number") {
      throw new RangeError("price tiers: up_to is an integer or null, price_micro an integer");
    }
    return { upTo, priceMicro };
  });
}
