/**
 * What speaks for each option. Three signals are cosines on the trunk, with name and description (and examples), with the name, with
 * the parameters; four count how much of what tells is said by both sides. The last one is 1 for an option of which nothing but the
 * label is known ("false", "other"): next to a described one it is what remains when that one does not fit.
 */
import { denseLogits } from "../head/logits.ts";
import type { Encoding } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
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
export function optionSignals(
  encoding: Encoding,
  said: SaidTerms,
  { vocabulary, frequencies }: { readonly vocabulary: Vocabulary; readonly frequencies: Frequencies },
): Float64Array {
  const { index, mass, labels } = vocabulary;
  const none = new Float64Array(labels.length);
  const out = new Float64Array(labels.length * SIGNAL_COUNT);
  putCosines(out, 0, denseLogits(vocabulary.wholes, none, encoding.vector));
  putCosines(out, 1, denseLogits(vocabulary.names, none, encoding.vector));
  putCosines(out, 2, denseLogits(vocabulary.parameters, none, encoding.vector));
  for (const [stem, weight] of said.stems) {
    const options = index.get(stem);
    if (options === undefined) continue;
    const telling = frequencies.telling(stem);
    for (let n = 0; n < options.length; n++) {
      const entry = options[n];
      const base = Math.floor(entry / PARTS) * SIGNAL_COUNT;
      if ((entry & NAME) !== 0) out[base + 3] += weight * telling;
      if ((entry & (NAME | DESCRIPTION)) !== 0) out[base + 4] += weight * telling * telling;
      if ((entry & PARAMETERS) !== 0) out[base + 5] += weight * telling;
    }
  }
  for (const [pair, weight] of said.pairs)
    for (const entry of index.get(pair) ?? []) out[Math.floor(entry / PARTS) * SIGNAL_COUNT + 6] += weight;
  for (let place = 0; place < labels.length; place++) {
    const base = place * SIGNAL_COUNT;
    out[base + 3] = share(out[base + 3], mass.name[place]);
    out[base + 4] = share(out[base + 4], said.length * mass.whole[place]);
    out[base + 5] = share(out[base + 5], Math.sqrt(said.mass * mass.parameters[place]));
    out[base + 6] = share(out[base + 6], Math.sqrt(mass.pairs[place] * said.pairs.size));
    out[base + BARE] = vocabulary.bare[place];
  }
  return out;
}

function putCosines(out: Float64Array, signal: number, cosines: Float64Array): void {
  for (let place = 0; place < cosines.length; place++) out[place * SIGNAL_COUNT + signal] = cosines[place];
}

function share(found: number, whole: number): number {
  return whole > 0 ? found / whole : 0;
}
