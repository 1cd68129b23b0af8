/** A seeded source of chance (sfc32): the same seed draws the same run. */
export interface Chance {
  /** From 0 to below 1. */
  next(): number;
  /** True with this probability. */
  hits(probability: number): boolean;
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(among: readonly T[]): T;
  bytes(count: number): Uint8Array;
}

export function createChance(seed: number): Chance {
  let [a, b, c, counter] = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
  for (let round = 0; round < 12; round++) draw();

  const next = () => draw() / 2 ** 32;
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    // Draws nothing for what cannot happen, so that a switched-off fault does not shift what follows more than it must.
    hits: (probability) => probability > 0 && next() < probability,
    pick: (among) => among[between(0, among.length - 1)],
    bytes: (count) => Uint8Array.from({ length: count }, () => draw() & 255),
  };

  function draw(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}
