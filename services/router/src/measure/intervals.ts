/** Exact binomial intervals and tests. */
import { binomialAtMost } from "@triptych/decisions";

export interface Share {
  readonly count: number;
  readonly of: number;
}

/** Two-sided 95 % interval (Clopper and Pearson 1934). */
export function exactInterval({ count, of }: Share): readonly [number, number] {
  if (of === 0) return [0, 1];
  const low = count === 0 ? 0 : root((p) => atLeast(count, of, p) - TAIL);
  const high = count === of ? 1 : root((p) => TAIL - binomialAtMost(count, of, p));
  return [low, high];
}

const TAIL = 0.025;

/** P(X >= k) for a binomial X with parameters n and p. */
export function atLeast(k: number, n: number, p: number): number {
  return k <= 0 ? 1 : 1 - binomialAtMost(k - 1, n, p);
}

/** Root of a function that increases from below 0 to above 0 on [0, 1]. */
function root(increasing: (p: number) => number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (increasing(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
