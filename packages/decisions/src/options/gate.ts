/**
 * Features that indicate whether any option fits: signals, score and margin of the top option, the number of options,
 * the rarest unmatched word, and parameters without a value. For functions there are also names, the length, and
 * whether the request is a knowledge question.
 */
import type { Logistic } from "../calibration/logistic.ts";
import { log } from "../math/exp-log.ts";
import { SIGNAL_COUNT } from "./option-signals.ts";
import { fillNeeds } from "./needs.ts";
import { KIND_COUNT } from "./parameters.ts";
import type { Option } from "./option.ts";
import type { QueryTerms, QueryWord } from "./query-terms.ts";
import { NO_VERB } from "./verbs.ts";
import type { Vocabulary } from "./vocabulary.ts";

export const GATE_WIDTH = SIGNAL_COUNT + 16 + KIND_COUNT;

export interface Gate {
  readonly fits: Logistic;
  readonly floor: number;
}

/**
 * There is one gate for functions, with separate floors for parameters with a schema and parameters as plain texts, and
 * one for options with only names and descriptions. Requests for the latter are short, so the gate for functions would
 * reject most of them.
 */
export interface Gates {
  readonly schema: Gate;
  readonly functions: Gate;
  readonly plain: Gate;
}

export function gateSideOf({ functions, typed }: Pick<Vocabulary, "functions" | "typed">): keyof Gates {
  if (typed) return "schema";
  return functions ? "functions" : "plain";
}

export function gateFor(vocabulary: Vocabulary, gates: Gates): Gate {
  return gates[gateSideOf(vocabulary)];
}

export interface GateView {
  readonly query: QueryTerms;
  readonly vocabulary: Vocabulary;
  readonly signals: Float64Array;
  readonly scores: Float64Array;
  readonly choice: number;
  readonly margin: number;
}

/** Rarer words may be values (names, places, things) unless the option contains them. */
const VALUE_TELLING = 5;
const MEANT = 0.35;

export function gateFeatures(
  { query, vocabulary, signals, scores, choice, margin }: GateView,
  out = new Float64Array(GATE_WIDTH),
): Float64Array {
  const chosen = vocabulary.options[choice];
  const { rarestUnmatched, values } = unmatchedWords(query, chosen);
  const { parameterCount, longParameters, wantsLocation, needs, verb } = chosen;
  const length = log(1 + query.count);
  for (let signal = 0; signal < SIGNAL_COUNT; signal++) out[signal] = signals[choice * SIGNAL_COUNT + signal];
  out[SIGNAL_COUNT] = scores[choice];
  out[SIGNAL_COUNT + 1] = scores.length === 1 ? 0 : margin;
  out[SIGNAL_COUNT + 2] = log(scores.length);
  out[SIGNAL_COUNT + 3] = rarestUnmatched;
  out[SIGNAL_COUNT + 4] = Math.max(0, log(1 + parameterCount) - log(1 + values + query.numbers));
  out[SIGNAL_COUNT + 5] = query.foreign;
  out.fill(0, SIGNAL_COUNT + 6);
  if (!vocabulary.functions) return out;
  out[SIGNAL_COUNT + 6] = log(1 + query.names);
  out[SIGNAL_COUNT + 7] = query.names === 0 && wantsLocation ? 1 : 0;
  out[SIGNAL_COUNT + 8] = log(1 + longParameters);
  out[SIGNAL_COUNT + 9] = length;
  out[SIGNAL_COUNT + 10] = length * length;
  out[SIGNAL_COUNT + 11] = query.asks ? 1 : 0;
  const { missing } = fillNeeds(needs, query, values);
  for (let kind = 0; kind < KIND_COUNT; kind++) out[SIGNAL_COUNT + 12 + kind] = Math.min(missing[kind], 3);
  out[SIGNAL_COUNT + 12 + KIND_COUNT] = log(1 + needs.required);
  out[SIGNAL_COUNT + 13 + KIND_COUNT] = needs.isNamed ? 1 : 0;
  if (verb === NO_VERB || query.verb === NO_VERB) return out;
  out[SIGNAL_COUNT + (verb === query.verb ? 14 : 15) + KIND_COUNT] = 1;
  return out;
}

/** Words are sorted by rarity, so after the rarest unmatched word only possible values matter. */
function unmatchedWords({ words, stems }: QueryTerms, chosen: Option) {
  const shared = new Uint8Array(stems.count);
  for (const stem of chosen.stems) {
    const index = stems.indexOf(stem);
    if (index >= 0) shared[index] = 1;
  }
  let rarestUnmatched = 0;
  let values = 0;
  for (let from = 0; from < words.length; from += WORDS_AT_ONCE) {
    const most = words[from].telling;
    if (most <= rarestUnmatched && most <= VALUE_TELLING) break;
    multiply(chosen.whole, words, from);
    const end = Math.min(words.length, from + WORDS_AT_ONCE);
    for (let n = from; n < end; n++) {
      const { stemIndex, telling, length } = words[n];
      if (shared[stemIndex] === 1) continue;
      const meant = length > 0 ? Math.max(0, products[n - from] / length) : 0;
      rarestUnmatched = Math.max(rarestUnmatched, telling * (1 - meant));
      if (telling > VALUE_TELLING && meant < MEANT) values++;
    }
  }
  return { rarestUnmatched, values };
}

const WORDS_AT_ONCE = 4;
const products = new Float64Array(WORDS_AT_ONCE);

/**
 * Writes to `products`. Sums four words side by side, because an addition has to wait for the previous one of the same
 * sum. A group of fewer words repeats its last word.
 */
function multiply(whole: Float64Array, words: readonly QueryWord[], from: number): void {
  const last = words.length - 1;
  const a = words[from].vector;
  const b = words[Math.min(from + 1, last)].vector;
  const c = words[Math.min(from + 2, last)].vector;
  const e = words[Math.min(from + 3, last)].vector;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let d = 0; d < whole.length; d++) {
    const along = whole[d];
    s0 += a[d] * along;
    s1 += b[d] * along;
    s2 += c[d] * along;
    s3 += e[d] * along;
  }
  products[0] = s0;
  products[1] = s1;
  products[2] = s2;
  products[3] = s3;
}
