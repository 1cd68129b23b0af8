/** Seeded randomness: the same seed gives the same data and queries on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, below). */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Up to `atMost` distinct values. */
  some<T>(from: readonly T[], atMost: number): T[];
}

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(from: readonly T[]) => from[below(from.length)];
  return {
    next,
    below,
    pick,
    chance: (probability) => next() < probability,
    some: (from, atMost) => [...new Set(Array.from({ length: below(atMost + 1) }, () => pick(from)))],
  };
}
