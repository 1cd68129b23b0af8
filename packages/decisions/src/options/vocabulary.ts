/**
 * A list of options, read once: their vectors on the trunk, and which of their terms stand where. Options are put in the order of
 * UTF-16 code units of their labels before anything is computed, so that the order they came in can show nowhere.
 */
import type { Encoding, Trunk } from "../trunk/trunk.ts";
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
  /** For each term the options that have it: place x 8 + the parts of the option in which it stands (see Part). */
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
    const name = trunk.encode(option.label);
    const description = trunk.encode(option.description);
    const parameter = trunk.encode(option.parameters.join("\n"));
    const examples = option.examples.map((example) => trunk.encode(example));
    parameterCounts[place] = option.parameters.length;
    bare[place] = description.length + parameter.length === 0 && examples.length === 0 ? 1 : 0;
    names.set(name.vector, place * dims);
    parameters.set(parameter.vector, place * dims);
    wholes.set(blended([name, description], examples, reading), place * dims);
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

  function enter(place: number, { tokens }: Encoding, part: number): void {
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
    if (Math.floor(last / PARTS) !== place) {
      options.push(place * PARTS + part);
      return 0;
    }
    options[options.length - 1] = last | part;
    return last % PARTS;
  }
}

/** The sum of the texts, of length 1, and so much of the mean of the examples; again of length 1. */
function blended(texts: readonly Encoding[], examples: readonly Encoding[], { trunk, exampleWeight }: Reading) {
  const sum = new Float64Array(trunk.dims);
  for (const { vector, length } of texts) for (let d = 0; d < sum.length; d++) sum[d] += length * vector[d];
  toUnit(sum);
  if (examples.length === 0) return sum;
  const mean = new Float64Array(trunk.dims);
  for (const { vector } of examples) for (let d = 0; d < mean.length; d++) mean[d] += vector[d];
  toUnit(mean);
  for (let d = 0; d < sum.length; d++) sum[d] += exampleWeight * mean[d];
  toUnit(sum);
  return sum;
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
