/**
 * What speaks for each option. Three signals are cosines on the trunk, with name and description (and examples), with the name, with
 * the parameters; four count how much of what tells is said by both sides. The last one is 1 for an option of which nothing but the
 * label is known ("false", "other"): next to a described one it is what remains when that one does not fit.
 */
import type { Encoding } from "../trunk/trunk.ts";
import type { SaidTerms } from "./said-terms.ts";
import { DESCRIPTION, NAME, PARAMETERS, PARTS, type Vocabulary } from "./vocabulary.ts";

export const OPTION_SIGNALS = [
  "meaning of name and description",
  "meaning of the name",
  "meaning of the parameters",
  "words of the name",
  "words of name and description",
  "words of the parameters",
  "pairs of words",
  "nothing but a label",
] as const;

export const SIGNAL_COUNT = OPTION_SIGNALS.length;
/** Place of the last one. */
export const BARE = SIGNAL_COUNT - 1;

/** labels x SIGNAL_COUNT. */
export function optionSignals({ vector }: Encoding, said: SaidTerms, vocabulary: Vocabulary): Float64Array {
  const { index, mass, labels, wholes, names, parameters } = vocabulary;
  const out = new Float64Array(labels.length * SIGNAL_COUNT);
  for (let place = 0; place < labels.length; place++) {
    const base = place * SIGNAL_COUNT;
    const own = parameters[place];
    out[base + 1] = product(names[place], vector);
    out[base] = wholes[place] === names[place] ? out[base + 1] : product(wholes[place], vector);
    out[base + 2] = own === null ? 0 : product(own, vector);
  }
  for (const { stem, weight, telling } of said.stems) {
    const options = index.get(stem);
    if (options === undefined) continue;
    for (let n = 0; n < options.length; n++) {
      const entry = options[n];
      const base = Math.floor(entry / PARTS) * SIGNAL_COUNT;
      if ((entry & NAME) !== 0) out[base + 3] += weight * telling;
      if ((entry & (NAME | DESCRIPTION)) !== 0) out[base + 4] += weight * telling * telling;
      if ((entry & PARAMETERS) !== 0) out[base + 5] += weight * telling;
    }
  }
  for (const [pair, weight] of said.pairs)
    for (const entry of index.get(pair) ?? NOWHERE) out[Math.floor(entry / PARTS) * SIGNAL_COUNT + 6] += weight;
  for (let place = 0; place < labels.length; place++) {
    const base = place * SIGNAL_COUNT;
    out[base + 3] = share(out[base + 3], mass.name[place]);
    out[base + 4] = share(out[base + 4], said.length * mass.whole[place]);
    out[base + 5] = share(out[base + 5], Math.sqrt(said.mass * mass.parameters[place]));
    out[base + 6] = share(out[base + 6], Math.sqrt(mass.pairs[place] * said.pairs.length));
    out[base + BARE] = vocabulary.bare[place];
  }
  return out;
}

const NOWHERE: readonly number[] = [];

/** Four sums side by side, none of which waits for another; their number is a part of the result. */
function product(a: Float64Array, b: Float64Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let d = 0; d < a.length; d += 4) {
    s0 += a[d] * b[d];
    s1 += a[d + 1] * b[d + 1];
    s2 += a[d + 2] * b[d + 2];
    s3 += a[d + 3] * b[d + 3];
  }
  return s0 + s1 + (s2 + s3);
}

function share(found: number, whole: number): number {
  return whole > 0 ? found / whole : 0;
}
