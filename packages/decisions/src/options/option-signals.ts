/**
 * Computes the signals of an option: three cosines on the trunk (name with description and examples, name, parameters),
 * five shares of IDF mass (the last one relative to the request), and the required values that the request does not
 * state. The last signal is 1 for an option with only a label ("false", "other"); among described options, it stands
 * for all other requests.
 */
import { log } from "../math/exp-log.ts";
import type { Encoding } from "../trunk/trunk.ts";
import { fillNeeds } from "./needs.ts";
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
  "words of the request",
  "missing values",
  "nothing but a label",
] as const;

export const SIGNAL_COUNT = OPTION_SIGNALS.length;
export const UNDECORATED = SIGNAL_COUNT - 1;

/** Writes labels x SIGNAL_COUNT numbers to `out`, or to a new array. */
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
  const { whole, name, parameters, mass, needs } = option;
  const { stems, pairs } = query;
  out[base + 1] = product(name, vector);
  out[base] = whole === name ? out[base + 1] : product(whole, vector);
  out[base + 2] = parameters === null ? 0 : product(parameters, vector);
  out[base + 3] = share(sharedWeight(stems, option.nameStems), mass.name);
  const own = sharedTerms(stems, option.stems);
  out[base + 4] = share(squaresOf(stems, own), query.length * mass.whole);
  out[base + 5] = share(sharedWeight(stems, option.parameterStems), Math.sqrt(query.mass * mass.parameters));
  out[base + 6] = share(weightOf(pairs, option.pairs), Math.sqrt(option.pairs.length * pairs.count));
  out[base + 7] = share(tellingOf(stems, own) + sharedWeight(stems, option.furtherStems), query.mass);
  out[base + 8] = needs.required === 0 ? 0 : log(1 + fillNeeds(needs, query, 0).total);
  out[base + UNDECORATED] = option.isBare ? 1 : 0;
}

function sharedWeight(query: QueryTermList, terms: readonly Term[]): number {
  return tellingOf(query, sharedTerms(query, terms));
}

function tellingOf(query: QueryTermList, shared: readonly Term[]): number {
  let sum = 0;
  for (const term of shared) sum += query.weights[query.indexOf(term)] * term.telling;
  return sum;
}

function squaresOf(query: QueryTermList, shared: readonly Term[]): number {
  let sum = 0;
  for (const term of shared) sum += query.weights[query.indexOf(term)] * term.telling * term.telling;
  return sum;
}

function weightOf(query: QueryTermList, terms: readonly Term[]): number {
  let sum = 0;
  for (const term of sharedTerms(query, terms)) sum += query.weights[query.indexOf(term)];
  return sum;
}

const NOTHING: readonly Term[] = [];

/**
 * Terms are in the order of the request: the low context weight is not a round number, so sums with it depend on the
 * order. Sums of plain IDF values are exact in any order.
 */
function sharedTerms({ indexOf, areEqual }: QueryTermList, terms: readonly Term[]): readonly Term[] {
  let found: Term[] | null = null;
  for (const term of terms) if (indexOf(term) >= 0) (found ??= []).push(term);
  if (found === null || areEqual) return found ?? NOTHING;
  return found.sort((first, other) => indexOf(first) - indexOf(other));
}

/** Uses four independent partial sums; another number would change the result. */
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
