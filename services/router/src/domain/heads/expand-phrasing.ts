/**
 * A phrasing with slots as texts: every combination of values where they are few, else so many of them, spread over all combinations.
 * Nothing is drawn. Combinations are counted like an odometer counts miles; steps of about the golden section of all of them, without
 * a common divisor, meet none twice and leave no value of a slot out for long.
 */
const SLOT = /\{([A-Za-z_][A-Za-z0-9_]{0,39})\}/g;

export function slotsIn(phrasing: string): readonly string[] {
  return [...new Set([...phrasing.matchAll(SLOT)].map(([, name]) => name))];
}

/** Texts that it becomes. */
export function countTextsOf(phrasing: string, slots: ReadonlyMap<string, readonly string[]>, most: number): number {
  let count = 1;
  for (const name of slotsIn(phrasing)) count = Math.min(most, count * (slots.get(name)?.length ?? 1));
  return count;
}

/** Characters by which the longest of its texts is longer than it is written. `longest`: of the values of each slot. */
export function growthOf(phrasing: string, longest: ReadonlyMap<string, number>): number {
  let growth = 0;
  for (const [written, name] of phrasing.matchAll(SLOT))
    growth += (longest.get(name) ?? written.length) - written.length;
  return growth;
}

/** At most `most` different combinations. A slot without values stays as it is written. */
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
