/**
 * Expands a phrasing with slots into texts: all combinations of values, or a limited number spread over all of them.
 * Combinations are numbered in mixed radix. The step is close to the golden ratio and coprime to the total, so no
 * combination repeats.
 */
const SLOT = /\{([A-Za-z_][A-Za-z0-9_]{0,39})\}/g;

export function slotsIn(phrasing: string): readonly string[] {
  return [...new Set([...phrasing.matchAll(SLOT)].map(([, name]) => name))];
}

/** Number of texts that the phrasing expands to, at most `most`. */
export function countTextsOf(phrasing: string, slots: ReadonlyMap<string, readonly string[]>, most: number): number {
  let count = 1;
  for (const name of slotsIn(phrasing)) count = Math.min(most, count * (slots.get(name)?.length ?? 1));
  return count;
}

/** Number of characters that filling the slots adds at most. `longest` has the length of each slot's longest value. */
export function growthOf(phrasing: string, longest: ReadonlyMap<string, number>): number {
  let growth = 0;
  for (const [written, name] of phrasing.matchAll(SLOT))
    growth += (longest.get(name) ?? written.length) - written.length;
  return growth;
}

/** Returns at most `most` distinct combinations. A slot without values is kept verbatim. */
export function expandPhrasing(
  phrasing: string,
  slots: ReadonlyMap<string, readonly string[]>,
  most: number,
): readonly string[] {
  const used = slotsIn(phrasing).flatMap((name) => {
    const values = slots.get(name);
    return values === undefined ? [] : [{ name, values }];
  });
  const all = used.reduce((product, { values }) => product * BigInt(values.length), 1n);
  const count = all < BigInt(most) ? Number(all) : most;
  const step = stepFor(all);
  return Array.from({ length: count }, (_, index) => {
    let left = all <= BigInt(most) ? BigInt(index) : (BigInt(index) * step) % all;
    const chosen = new Map<string, string>();
    for (const { name, values } of used) {
      const size = BigInt(values.length);
      chosen.set(name, values[Number(left % size)]);
      left /= size;
    }
    return phrasing.replaceAll(SLOT, (written, name: string) => chosen.get(name) ?? written);
  });
}

function stepFor(all: bigint): bigint {
  let step = (all * 618_034n) / 1_000_000n + 1n;
  while (greatestCommonDivisor(step, all) !== 1n) step += 1n;
  return step;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
