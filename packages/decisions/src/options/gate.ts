/**
 * What tells whether any of the options fits: the signals of the likeliest one, its score and lead, how many there are, and what it
 * leaves open: the most telling word of the request that it neither has nor means, and parameters for which nothing was said.
 */
import { log } from "../numbers/exp-log.ts";
import { SIGNAL_COUNT } from "./option-signals.ts";
import type { SaidTerms } from "./said-terms.ts";
import { DESCRIPTION, NAME, PARTS, type Vocabulary } from "./vocabulary.ts";

export const GATE_WIDTH = SIGNAL_COUNT + 6;

export interface GateView {
  readonly said: SaidTerms;
  readonly vocabulary: Vocabulary;
  /** labels x SIGNAL_COUNT. */
  readonly signals: Float64Array;
  readonly scores: Float64Array;
  readonly choice: number;
  readonly margin: number;
}

/** Above this a word may be a value: a name, a place, a thing; unless the option means it. */
const VALUE_TELLING = 5;
const MEANT = 0.35;

export function gateFeatures({ said, vocabulary, signals, scores, choice, margin }: GateView): Float64Array {
  const { strangest, values } = leftOpen(said, vocabulary, choice);
  const parameters = vocabulary.parameterCounts[choice];
  const out = new Float64Array(GATE_WIDTH);
  out.set(signals.subarray(choice * SIGNAL_COUNT, (choice + 1) * SIGNAL_COUNT));
  out[SIGNAL_COUNT] = scores[choice];
  out[SIGNAL_COUNT + 1] = scores.length === 1 ? 0 : margin;
  out[SIGNAL_COUNT + 2] = log(scores.length);
  out[SIGNAL_COUNT + 3] = strangest;
  out[SIGNAL_COUNT + 4] = Math.max(0, log(1 + parameters) - log(1 + values + said.numbers));
  out[SIGNAL_COUNT + 5] = said.foreign;
  return out;
}

function leftOpen({ words }: SaidTerms, { index, wholes }: Vocabulary, choice: number) {
  let strangest = 0;
  let values = 0;
  for (const { stem, telling, vector, length } of words) {
    if (index.get(stem)?.some((entry) => Math.floor(entry / PARTS) === choice && (entry & (NAME | DESCRIPTION)) !== 0))
      continue;
    let along = 0;
    for (let d = 0, base = choice * vector.length; d < vector.length; d++) along += vector[d] * wholes[base + d];
    const meant = length > 0 ? Math.max(0, along / length) : 0;
    strangest = Math.max(strangest, telling * (1 - meant));
    if (telling > VALUE_TELLING && meant < MEANT) values++;
  }
  return { strangest, values };
}
