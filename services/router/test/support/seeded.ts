/** Deterministic pseudorandom numbers (mulberry32). */
export interface Random {
  /** From 0 to 1, exclusive. */
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  shuffle<T>(values: readonly T[]): T[];
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)],
    shuffle(values) {
      const out = [...values];
      for (let index = out.length - 1; index > 0; index--) {
        const other = below(index + 1);
        [out[index], out[other]] = [out[other], out[index]];
      }
      return out;
    },
  };
}
