/**
 * A list of options, read once: their vectors on the trunk, and which of their terms stand where. Options are put in the order of
 * UTF-16 code units of their labels before anything is computed, so that the order they came in can show nowhere.
 */
import { writeUnit, type OptionText, type OptionTexts } from "./option-texts.ts";

export interface OptionEntry {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly examples: readonly string[];
}

/** Options in the order of UTF-16 code units of their labels, encoded once. Callers may keep it, and read nothing but the labels. */
export interface Vocabulary {
  readonly labels: readonly string[];
  /**
   * For each option a vector of length 1 or 0: name, description and examples together. Where there is nothing but the name it is the
   * very vector of the name.
   */
  readonly wholes: readonly Float64Array[];
  readonly names: readonly Float64Array[];
  /** Null where an option has none. */
  readonly parameters: readonly (Float64Array | null)[];
  /** For each term the options that have it: place x PARTS + the parts of the option in which it stands (NAME, DESCRIPTION, PARAMETERS). */
  readonly index: ReadonlyMap<string, readonly number[]>;
  /** What each option's parameters are called and mean, as it was told. */
  readonly parameterTexts: readonly (readonly string[])[];
  /** Some option has a parameter: then they are functions, and what a request leaves open of them tells whether it means one. */
  readonly functions: boolean;
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
  readonly texts: OptionTexts;
  /** Weight of the mean of the examples against that of name and description. */
  readonly exampleWeight: number;
}

export function readVocabulary(options: readonly OptionEntry[], { texts, exampleWeight }: Reading): Vocabulary {
  const sorted = options.toSorted((a, b) => order(a.label, b.label));
  const count = sorted.length;
  const wholes: Float64Array[] = [];
  const names: Float64Array[] = [];
  const parameters: (Float64Array | null)[] = [];
  const bare = new Float64Array(count);
  const index = new Map<string, number[]>();
  const mass = {
    name: new Float64Array(count),
    whole: new Float64Array(count),
    parameters: new Float64Array(count),
    pairs: new Float64Array(count),
  };
  for (const [place, option] of sorted.entries()) {
    const name = texts.read(option.label);
    const description = texts.read(option.description);
    const parameter = texts.read(option.parameters.join("\n"));
    const examples = option.examples.map((example) => texts.read(example));
    bare[place] = description.count + parameter.count + examples.length === 0 ? 1 : 0;
    names.push(name.unit());
    wholes.push(blended(description.count === 0 ? name.unit() : unitOf(texts.joint(name, description)), examples));
    parameters.push(parameter.count === 0 ? null : parameter.unit());
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
    parameterTexts: sorted.map((option) => option.parameters),
    functions: sorted.some((option) => option.parameters.length > 0),
    bare,
    remainder,
    index,
    mass,
  };

  /** Into a vector of length 1 so much of the mean of the examples; again of length 1. */
  function blended(vector: Float64Array, examples: readonly OptionText[]): Float64Array {
    if (examples.length === 0) return vector;
    const mean = new Float64Array(vector.length);
    for (const example of examples) add(mean, example.unit(), 1);
    const sum = vector.slice();
    add(sum, unitOf(mean), exampleWeight);
    return unitOf(sum);
  }

  function unitOf(vector: Float64Array): Float64Array {
    return writeUnit(vector, texts.fresh());
  }

  function enter(place: number, { stems, pairs }: OptionText, part: number): void {
    for (const { stem, telling } of stems) {
      const before = mark(stem, place, part);
      if ((before & part) !== 0) continue;
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

function add(target: Float64Array, vector: Float64Array, weight: number): void {
  for (let d = 0; d < vector.length; d++) target[d] += weight * vector[d];
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
