/**
 * What speaks for each option. Three signals are cosines on the trunk, with name and description (and examples), with the name, with
 * the parameters; four count how much of what tells is said by both sides. The last one is 1 for an option of which nothing but the
 * label is known ("false", "other"): next to a described one it is what remains when that one does not fit.
 */
import type { Encoding } from "../trunk/trunk.ts";
import type { Option } from "./option.ts";
import type { QueryTermList, QueryTerms } from "./query-terms.ts";
import type { Term } from "./term-table.ts";
import type { Vocabulary } from "./vocabulary.ts";

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
export const UNDECORATED = SIGNAL_COUNT - 1;

/** labels x SIGNAL_COUNT, all of which are written; into `out`, or an array of its own. */
export function optionSignals(
  encoding: Encoding,
  query: QueryTerms,
  { options }: Vocabulary,
  out = new Float64Array(options.length * SIGNAL_COUNT),
): Float64Array {
  for (let index = 0; index < options.length; index++)
    writeSignals(options[index], { encoding, query, out, base: index * SIGNAL_COUNT });
  return out;
}

interface SignalInput {
  readonly encoding: Encoding;
  readonly query: QueryTerms;
  readonly out: Float64Array;
  readonly base: number;
}

function writeSignals(option: Option, { encoding: { vector }, query, out, base }: SignalInput): void {
  const { whole, name, parameters, mass } = option;
  const { stems, pairs } = query;
  out[base + 1] = product(name, vector);
  out[base] = whole === name ? out[base + 1] : product(whole, vector);
  out[base + 2] = parameters === null ? 0 : product(parameters, vector);
  out[base + 3] = share(sharedWeight(stems, option.nameStems), mass.name);
  out[base + 4] = share(sharedSquares(stems, option.stems), query.length * mass.whole);
  out[base + 5] = share(sharedWeight(stems, option.parameterStems), Math.sqrt(query.mass * mass.parameters));
  out[base + 6] = share(weightOf(pairs, option.pairs), Math.sqrt(option.pairs.length * pairs.count));
  out[base + UNDECORATED] = option.isBare ? 1 : 0;
}

function sharedWeight(query: QueryTermList, terms: readonly Term[]): number {
  let sum = 0;
  for (const term of sharedTerms(query, terms)) sum += query.weights[query.indexOf(term)] * term.telling;
  return sum;
}

function sharedSquares(query: QueryTermList, terms: readonly Term[]): number {
  let sum = 0;
  for (const term of sharedTerms(query, terms)) sum += query.weights[query.indexOf(term)] * term.telling * term.telling;
  return sum;
}

function weightOf(query: QueryTermList, terms: readonly Term[]): number {
  let sum = 0;
  for (const term of sharedTerms(query, terms)) sum += query.weights[query.indexOf(term)];
  return sum;
}

const NOTHING: readonly Term[] = [];

/**
 * Those of the terms that were said, in the order in which they were: the low weight of context is no round number, and its sums depend on
 * their order. Sums of what terms tell alone are exact in any.
 */
function sharedTerms({ indexOf, areEqual }: QueryTermList, terms: readonly Term[]): readonly Term[] {
  let found: Term[] | null = null;
  for (const term of terms) if (indexOf(term) >= 0) (found ??= []).push(term);
  if (found === null || areEqual) return found ?? NOTHING;
  return found.sort((first, other) => indexOf(first) - indexOf(other));
}

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
