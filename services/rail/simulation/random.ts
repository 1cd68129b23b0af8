/** A seeded source of random numbers (sfc32): the same seed gives the same run. */
export interface Chance {
  /** A number in [0, 1). */
  next(): number;
  /** True with this probability. */
  hits(probability: number): boolean;
  /** An integer from `low` to `high`, both inclusive. */
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
    // Draws no number for the probability 0, so that disabling a fault shifts the later draws as little as possible.
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
