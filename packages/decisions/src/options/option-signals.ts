/**
 * What speaks for each option: seven signals. Three are cosines on the trunk, with name and description (and examples), with the name,
 * with the parameters; four count how much of what tells is said by both sides.
 */
import { denseLogits } from "../head/logits.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { termsOf } from "./terms.ts";
import { DESCRIPTION, NAME, PARAMETERS, PARTS, type Vocabulary } from "./vocabulary.ts";

export const OPTION_SIGNALS = [
  "meaning of name and description",
  "meaning of the name",
  "meaning of the parameters",
  "words of the name",
  "words of name and description",
  "words of the parameters",
  "pairs of words",
] as const;

export const SIGNAL_COUNT = OPTION_SIGNALS.length;

/** The terms of a request with what they tell, those of the context at the low weight of the trunk. */
interface SaidTerms {
  readonly stems: ReadonlyMap<string, number>;
  readonly pairs: ReadonlyMap<string, number>;
  readonly length: number;
  readonly mass: number;
}

export function createSignals(trunk: Trunk, frequencies: Frequencies) {
  // Several questions are asked about one request: its terms are found once.
  const kept = new WeakMap<Encoding, SaidTerms>();
  return { signalsOf };

  /** labels x SIGNAL_COUNT. */
  function signalsOf(encoding: Encoding, vocabulary: Vocabulary): Float64Array {
    const said = saidBy(encoding);
    const count = vocabulary.labels.length;
    const none = new Float64Array(count);
    const out = new Float64Array(count * SIGNAL_COUNT);
    const cosines = [vocabulary.wholes, vocabulary.names, vocabulary.parameters].map((rows) =>
      denseLogits(rows, none, encoding.vector),
    );
    for (let place = 0; place < count; place++)
      for (const [signal, values] of cosines.entries()) out[place * SIGNAL_COUNT + signal] = values[place];
    for (const [stem, weight] of said.stems) {
      const telling = frequencies.telling(stem);
      for (const entry of vocabulary.index.get(stem) ?? []) {
        const base = Math.floor(entry / PARTS) * SIGNAL_COUNT;
        if ((entry & NAME) !== 0) out[base + 3] += weight * telling;
        if ((entry & (NAME | DESCRIPTION)) !== 0) out[base + 4] += weight * telling * telling;
        if ((entry & PARAMETERS) !== 0) out[base + 5] += weight * telling;
      }
    }
    for (const [pair, weight] of said.pairs)
      for (const entry of vocabulary.index.get(pair) ?? []) out[Math.floor(entry / PARTS) * SIGNAL_COUNT + 6] += weight;
    for (let place = 0; place < count; place++) {
      const base = place * SIGNAL_COUNT;
      out[base + 3] = share(out[base + 3], vocabulary.mass.name[place]);
      out[base + 4] = share(out[base + 4], said.length * vocabulary.mass.whole[place]);
      out[base + 5] = share(out[base + 5], Math.sqrt(said.mass * vocabulary.mass.parameters[place]));
      out[base + 6] = share(out[base + 6], Math.sqrt(vocabulary.mass.pairs[place] * said.pairs.size));
    }
    return out;
  }

  function saidBy(encoding: Encoding): SaidTerms {
    const known = kept.get(encoding);
    if (known !== undefined) return known;
    const stems = new Map<string, number>();
    const pairs = new Map<string, number>();
    enter(encoding.contextTokens, trunk.contextWeight);
    enter(encoding.tokens, 1);
    let square = 0;
    let mass = 0;
    for (const [stem, weight] of stems) {
      const telling = frequencies.telling(stem);
      square += weight * telling * telling;
      mass += weight * telling;
    }
    const said = { stems, pairs, length: Math.sqrt(square), mass };
    kept.set(encoding, said);
    return said;

    function enter(tokens: readonly string[], weight: number): void {
      const terms = termsOf(tokens);
      for (const stem of terms.stems) stems.set(stem, weight);
      for (const pair of terms.pairs) pairs.set(pair, weight);
    }
  }
}

function share(found: number, whole: number): number {
  return whole > 0 ? found / whole : 0;
}
