/**
 * Prepares options. They are cached, because options repeat and preparing one takes longer than scoring it; cached
 * values equal recomputed ones. The oldest are evicted by number and by characters.
 */
import { createLruCache } from "../lru-cache.ts";
import { TOKENS_MOST, writeUnit, type OptionText, type OptionTexts } from "./option-texts.ts";
import { needsOf, type Needs } from "./needs.ts";
import type { OptionParameter } from "./parameters.ts";
import { createTermTable, type Term } from "./term-table.ts";
import { verbGroupOf } from "./verbs.ts";

export interface OptionEntry {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly OptionParameter[];
  readonly examples: readonly string[];
}

export interface Option {
  readonly label: string;
  /**
   * The vector of name, description and examples together, of length 1 or 0. Identical to the name vector if there is
   * only a name.
   */
  readonly whole: Float64Array;
  readonly name: Float64Array;
  readonly parameters: Float64Array | null;
  readonly parameterCount: number;
  readonly longParameters: number;
  readonly wantsLocation: boolean;
  readonly needs: Needs;
  /** The group of the verb in its name, or otherwise in its description. */
  readonly verb: number;
  readonly isBare: boolean;
  /**
   * The stems of name and description. Those of examples are left out, because most words of an example do not say what
   * the option does.
   */
  readonly stems: readonly Term[];
  readonly nameStems: readonly Term[];
  readonly parameterStems: readonly Term[];
  /** The stems of the parameters that name and description do not contain. */
  readonly furtherStems: readonly Term[];
  readonly pairs: readonly Term[];
  readonly mass: {
    readonly name: number;
    /** The length of the IDF vector of name and description. */
    readonly whole: number;
    readonly parameters: number;
  };
}

export interface Reading {
  readonly texts: OptionTexts;
  /** Weight of the mean example relative to name and description. */
  readonly exampleWeight: number;
}

export interface Keeping {
  /** Each takes about 4 KB. */
  readonly options: number;
  readonly characters: number;
}

const CACHE_LIMITS: Keeping = { options: 4096, characters: 4_000_000 };
/** Maximum for name, description and parameters together. */
const TERMS_MOST = 3 * TOKENS_MOST;

/** A parameter with such a name requires the name of a location. */
const LOCATION_NAME = /\b(?:city|location|country|place|address|destination|state|ville|lieu|pays|adresse)\b/i;
/** Length in characters above which a parameter lists its allowed values. */
const LONG_PARAMETER = 150;

/** The verb of a description must be among this many first tokens. */
const VERB_WITHIN = 8;

const NO_TERMS: readonly Term[] = [];

export function createOptions({ texts, exampleWeight }: Reading, most = CACHE_LIMITS): (entry: OptionEntry) => Option {
  const cache = createLruCache<Option>(1);
  const met = createTermTable(TERMS_MOST);
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
    const parameters = texts.read(entry.parameters.map(({ text }) => text).join("\n"));
    const examples = entry.examples.map((example) => texts.read(example));
    const parts = [name, description];
    const stems = distinct(parts, "stems");
    let square = 0;
    for (const { telling } of stems) square += telling * telling;
    return {
      label,
      whole: blended(description.count === 0 ? name.unit() : unitOf(texts.joint(name, description)), examples),
      name: name.unit(),
      parameters: parameters.count === 0 ? null : parameters.unit(),
      parameterCount: entry.parameters.length,
      longParameters: entry.parameters.filter(({ text }) => text.length > LONG_PARAMETER).length,
      wantsLocation: entry.parameters.some(({ text }) => LOCATION_NAME.test(text)),
      needs: needsOf(entry.parameters, (text) => texts.read(text).stems),
      verb: verbGroupOf(name.tokens) || verbGroupOf(description.tokens.slice(0, VERB_WITHIN)),
      isBare: description.count + parameters.count + examples.length === 0,
      stems,
      nameStems: name.stems,
      parameterStems: parameters.stems,
      furtherStems: parameters.count === 0 ? NO_TERMS : distinct([...parts, parameters], "stems").slice(stems.length),
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
    met.clear();
    const found: Term[] = [];
    for (const { [kind]: terms } of texts) for (const term of terms) if (met.add(term)) found.push(term);
    return found;
  }

  /** Blends a share of the mean example into a unit vector and normalizes the result. */
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

/** Unique for each option, because a length precedes the label and lists are self-delimiting. */
function keyOf({ label, description, parameters, examples }: OptionEntry): string {
  const lists = parameters.length + examples.length === 0 ? "" : JSON.stringify([parameters.map(partOf), examples]);
  return `${lists}${label.length} ${label}${description}`;
}

/** A plain parameter is represented by its text. */
function partOf({ text, required, type, values }: OptionParameter): unknown {
  return required === null && type === "" && values.length === 0 ? text : [text, required, type, values];
}
