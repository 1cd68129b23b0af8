/**
 * A list of options, read once: their vectors on the trunk, and which of their terms stand where. Options are put in the order of
 * UTF-16 code units of their labels before anything is computed, so that the order they came in can show nowhere.
 */
import { tokenise } from "../text/tokenise.ts";
import type { Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { termsOf } from "./terms.ts";

export interface OptionEntry {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly examples: readonly string[];
}

/** Options in the order of UTF-16 code units of their labels, encoded once. Callers may keep it, and read nothing but the labels. */
export interface Vocabulary {
  readonly labels: readonly string[];
  /** labels x dims, each row of length 1 or 0: name, description and examples together. */
  readonly wholes: Float64Array;
  readonly names: Float64Array;
  readonly parameters: Float64Array;
  /** For each term the options that have it: place x PARTS + the parts of the option in which it stands (NAME, DESCRIPTION, PARAMETERS). */
  readonly index: ReadonlyMap<string, readonly number[]>;
  readonly parameterCounts: Float64Array;
  /** 1 for an option of which nothing but the label is known. */
  readonly bare: Float64Array;
  /** Some options are described and some are not: those take what the described ones leave ("true" and "false", "other"). */
  readonly remainder: boolean;
  /** How much the terms of each option tell, by part. */
  readonly mass: {
    readonly name: Float64Array;
    /** Length of the vector of what terms of name and description tell. */
    readonly whole: Float64Array;
    readonly parameters: Float64Array;
    readonly pairs: Float64Array;
  };
}

/** Of each of name, description, parameters and an example. */
const TOKENS_MOST = 64;

export const PARTS = 8;
export const NAME = 1;
export const DESCRIPTION = 2;
export const PARAMETERS = 4;

export interface Reading {
  readonly trunk: Trunk;
  readonly frequencies: Frequencies;
  /** Weight of the mean of the examples against that of name and description. */
  readonly exampleWeight: number;
}

export function readVocabulary(options: readonly OptionEntry[], reading: Reading): Vocabulary {
  const { trunk, frequencies } = reading;
  const { dims } = trunk;
  const sorted = options.toSorted((a, b) => order(a.label, b.label));
  const count = sorted.length;
  const wholes = new Float64Array(count * dims);
  const names = new Float64Array(count * dims);
  const parameters = new Float64Array(count * dims);
  const parameterCounts = new Float64Array(count);
  const bare = new Float64Array(count);
  const index = new Map<string, number[]>();
  const mass = {
    name: new Float64Array(count),
    whole: new Float64Array(count),
    parameters: new Float64Array(count),
    pairs: new Float64Array(count),
  };
  for (const [place, option] of sorted.entries()) {
    const name = summed(option.label, trunk);
    const description = summed(option.description, trunk);
    const parameter = summed(option.parameters.join("\n"), trunk);
    const examples = option.examples.map((example) => summed(example, trunk));
    parameterCounts[place] = option.parameters.length;
    bare[place] = description.tokens.length + parameter.tokens.length + examples.length === 0 ? 1 : 0;
    const whole = wholes.subarray(place * dims, (place + 1) * dims);
    add(whole, name.sum, 1);
    add(whole, description.sum, 1);
    toUnit(whole);
    blend(whole, examples, reading.exampleWeight);
    putUnit(names, place * dims, name.sum);
    putUnit(parameters, place * dims, parameter.sum);
    enter(place, name, NAME);
    enter(place, description, DESCRIPTION);
    for (const example of examples) enter(place, example, DESCRIPTION);
    enter(place, parameter, PARAMETERS);
    mass.whole[place] = Math.sqrt(mass.whole[place]);
  }
  const bareCount = bare.reduce((sum, one) => sum + one, 0);
  const remainder = bareCount > 0 && bareCount < count;
  return {
    labels: sorted.map(({ label }) => label),
    wholes,
    names,
    parameters,
    parameterCounts,
    bare,
    remainder,
    index,
    mass,
  };

  function enter(place: number, { tokens }: SummedText, part: number): void {
    const { stems, pairs } = termsOf(tokens);
    for (const stem of stems) {
      const before = mark(stem, place, part);
      if ((before & part) !== 0) continue;
      const telling = frequencies.telling(stem);
      if (part === NAME) mass.name[place] += telling;
      if (part === PARAMETERS) mass.parameters[place] += telling;
      else if ((before & (NAME | DESCRIPTION)) === 0) mass.whole[place] += telling * telling;
    }
    for (const pair of pairs) if (mark(pair, place, part) === 0) mass.pairs[place] += 1;
  }

  /** In which parts of the option the term stood before. */
  function mark(term: string, place: number, part: number): number {
    const options = index.get(term);
    if (options === undefined) {
      index.set(term, [place * PARTS + part]);
      return 0;
    }
    const last = options[options.length - 1];
    if (last < place * PARTS) {
      options.push(place * PARTS + part);
      return 0;
    }
    options[options.length - 1] = last | part;
    return last % PARTS;
  }
}

interface SummedText {
  readonly tokens: readonly string[];
  /** Of the vectors of its words. */
  readonly sum: Float64Array;
}

/**
 * A description is not read as a request is: its words say what it is about, pairs of neighbours add hardly anything to its vector and
 * cost as much as all its words; what it says after its first words is seldom more than a note.
 */
function summed(text: string, trunk: Trunk): SummedText {
  const sum = new Float64Array(text === "" ? 0 : trunk.dims);
  if (text === "") return { tokens: [], sum };
  const tokens = tokenise(text).tokens.slice(0, TOKENS_MOST);
  trunk.addWords(sum, tokens);
  return { tokens, sum };
}

/** Into a vector of length 1 so much of the mean of the examples; again of length 1. */
function blend(target: Float64Array, examples: readonly SummedText[], weight: number): void {
  if (examples.length === 0) return;
  const mean = new Float64Array(target.length);
  for (const { sum } of examples) {
    toUnit(sum);
    add(mean, sum, 1);
  }
  toUnit(mean);
  add(target, mean, weight);
  toUnit(target);
}

function add(target: Float64Array, vector: Float64Array, weight: number): void {
  for (let d = 0; d < vector.length; d++) target[d] += weight * vector[d];
}

/** Into a row of zeros; an empty text leaves them. */
function putUnit(rows: Float64Array, base: number, sum: Float64Array): void {
  let square = 0;
  for (let d = 0; d < sum.length; d++) square += sum[d] * sum[d];
  if (square > 0) for (let d = 0, length = Math.sqrt(square); d < sum.length; d++) rows[base + d] = sum[d] / length;
}

function toUnit(vector: Float64Array): void {
  let square = 0;
  for (let d = 0; d < vector.length; d++) square += vector[d] * vector[d];
  if (square > 0) for (let d = 0, length = Math.sqrt(square); d < vector.length; d++) vector[d] /= length;
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
