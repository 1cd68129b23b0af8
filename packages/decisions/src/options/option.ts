/**
 * One option as it is held against requests: its vectors on the trunk and the terms it is told by. It is read once: options come again in
 * one list after the other, and to read one takes longer than to judge it. What is kept is what would be read, so nothing of it shows in
 * an answer; the oldest go where there are too many, or too much is said of them.
 */
import { createLruCache } from "../lru-cache.ts";
import { TOKENS_MOST, writeUnit, type OptionText, type OptionTexts } from "./option-texts.ts";
import { createTermTable, type Term } from "./term-table.ts";

export interface OptionEntry {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly examples: readonly string[];
}

export interface Option {
  readonly label: string;
  /** Of length 1 or 0: name, description and examples together. Where there is nothing but the name it is the very vector of the name. */
  readonly whole: Float64Array;
  readonly name: Float64Array;
  /** Null where there are none. */
  readonly parameters: Float64Array | null;
  readonly parameterCount: number;
  /** How many of them list the values to choose from. */
  readonly longParameters: number;
  /** One of them is a place. */
  readonly wantsLocation: boolean;
  /** Nothing but the label is known of it. */
  readonly isBare: boolean;
  /** Of name, description and examples. */
  readonly stems: readonly Term[];
  readonly nameStems: readonly Term[];
  readonly parameterStems: readonly Term[];
  /** Of all that is said of it. */
  readonly pairs: readonly Term[];
  /** How much the terms tell, by part. */
  readonly mass: {
    readonly name: number;
    /** Length of the vector of what terms of name, description and examples tell. */
    readonly whole: number;
    readonly parameters: number;
  };
}

export interface Reading {
  readonly texts: OptionTexts;
  /** Weight of the mean of the examples against that of name and description. */
  readonly exampleWeight: number;
}

export interface Keeping {
  /** About 4 KB each. */
  readonly options: number;
  /** Of all that is said of them: one caller's options can be as long as a request. */
  readonly characters: number;
}

const CACHE_LIMITS: Keeping = { options: 4096, characters: 4_000_000 };
/** What name, description, parameters and eight examples have at most. */
const TERMS_USUAL = 11 * TOKENS_MOST;

/** Such a parameter needs a name for it. */
const LOCATION_NAME = /\b(?:city|location|country|place|address|destination|state|ville|lieu|pays|adresse)\b/i;
/** In characters: so long is what lists the values to choose from. */
const LONG_PARAMETER = 150;

const NO_TERMS: readonly Term[] = [];

export function createOptions({ texts, exampleWeight }: Reading, most = CACHE_LIMITS): (entry: OptionEntry) => Option {
  const cache = createLruCache<Option>(1);
  const met = createTermTable(TERMS_USUAL);
  return (entry) => {
    const key = keyOf(entry);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const option = read(entry);
    cache.set(key, option, Math.max(1 / most.options, key.length / most.characters));
    return option;
  };

  function read(entry: OptionEntry): Option {
    const { label } = entry;
    const name = texts.read(label);
    const description = texts.read(entry.description);
    const parameters = texts.read(entry.parameters.join("\n"));
    const examples = entry.examples.map((example) => texts.read(example));
    const parts = [name, description, ...examples];
    const stems = distinct(parts, "stems");
    let square = 0;
    for (const { telling } of stems) square += telling * telling;
    return {
      label,
      whole: blended(description.count === 0 ? name.unit() : unitOf(texts.joint(name, description)), examples),
      name: name.unit(),
      parameters: parameters.count === 0 ? null : parameters.unit(),
      parameterCount: entry.parameters.length,
      longParameters: entry.parameters.filter((parameter) => parameter.length > LONG_PARAMETER).length,
      wantsLocation: entry.parameters.some((parameter) => LOCATION_NAME.test(parameter)),
      isBare: description.count + parameters.count + examples.length === 0,
      stems,
      nameStems: name.stems,
      parameterStems: parameters.stems,
      pairs: distinct(parameters.count === 0 ? parts : [...parts, parameters], "pairs"),
      mass: { name: name.mass, whole: Math.sqrt(square), parameters: parameters.mass },
    };
  }

  function distinct(texts: readonly OptionText[], kind: "stems" | "pairs"): readonly Term[] {
    let most = 0;
    let longest = NO_TERMS;
    for (const { [kind]: terms } of texts) {
      most += terms.length;
      if (terms.length > longest.length) longest = terms;
    }
    if (longest.length === most) return longest;
    const table = most > TERMS_USUAL ? createTermTable(most) : met;
    table.clear();
    const found: Term[] = [];
    for (const { [kind]: terms } of texts) for (const term of terms) if (table.add(term)) found.push(term);
    return found;
  }

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
}

function add(target: Float64Array, vector: Float64Array, weight: number): void {
  for (let d = 0; d < vector.length; d++) target[d] += weight * vector[d];
}

/** No two options have the same: a number stands before the label, and a list says itself where it ends. */
function keyOf({ label, description, parameters, examples }: OptionEntry): string {
  const lists = parameters.length + examples.length === 0 ? "" : JSON.stringify([parameters, examples]);
  return `${lists}${label.length} ${label}${description}`;
}
