/**
 * Requests with functions of 24 domains, in English and French, written by the team. The trunk was not trained on any
 * of them. Gate and confidence of functions are fitted to them, because the requests of the public sets are English and
 * close to the descriptions. The weights are not.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { ChoiceRow } from "../src/options/train-options.ts";
import { hashText } from "../src/text/rows.ts";
import { asOption, FORMS, type OfferedFunction, type ParameterForm } from "./choice-rows.ts";
import type { DataFolder } from "./data-folder.ts";
import { drawnOptions } from "./drawn-options.ts";
import { LANGUAGES, type Language } from "./phrasings.ts";

type Both<T> = Readonly<Record<Language, T>>;

export interface FunctionDomain {
  readonly domain: string;
  readonly functions: readonly DescribedFunction[];
  /** Messages that no function of the domain serves. */
  readonly nothing: Both<readonly string[]>;
}

interface DescribedFunction extends Both<readonly string[]> {
  readonly name: string;
  readonly description: Both<string>;
  readonly parameters: OfferedFunction["params"];
  readonly required: readonly string[];
  /** Requests without a required value. */
  readonly incomplete?: Both<readonly string[]>;
}

export interface FunctionCallRow extends ChoiceRow {
  readonly language: Language;
  readonly form: ParameterForm;
}

const FOLDER = new URL("../function-calls/", import.meta.url);
const SEED = 0x510e527f;
/**
 * Numbers of functions; each entry is used equally often. One function in eight remains for requests whose function is
 * not offered.
 */
const SIZES = [1, 2, 4, 7, 7, 7] as const;
/** One request in this many is also offered without its function. */
const OPEN_EVERY = 3;

export function readFunctionDomains(): readonly FunctionDomain[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as FunctionDomain);
}

/**
 * The same requests with two examples for each function. They are for evaluation only, because the gate was trained on
 * the requests.
 */
export function readCallsWithExamples(data: Pick<DataFolder, "isHeldOut">): readonly FunctionCallRow[] {
  const functions = new Map(
    readFunctionDomains().flatMap(({ domain, functions }) =>
      functions.map((each) => [`${groupOf(domain)} ${each.name}`, each] as const),
    ),
  );
  return readFunctionCalls(data).map((row) => ({
    ...row,
    options: row.options.map((option) => {
      const texts = functions.get(`${row.group} ${option.label}`)?.[row.language] ?? [];
      return { ...option, examples: texts.filter((text) => text !== row.text).slice(0, 2) };
    }),
  }));
}

function groupOf(domain: string): string {
  return `function-calls ${domain}`;
}

export function readFunctionCalls({ isHeldOut }: Pick<DataFolder, "isHeldOut">): readonly FunctionCallRow[] {
  return readFunctionDomains()
    .flatMap((domain) => LANGUAGES.flatMap((language) => rowsOf(domain, language)))
    .filter(({ text }) => !isHeldOut(text));
}

function rowsOf({ domain, functions, nothing }: FunctionDomain, language: Language): FunctionCallRow[] {
  const row = (text: string, right: DescribedFunction | null, offered: readonly DescribedFunction[]) =>
    FORMS.map((form) => ({
      text,
      options: offered.map((each) => asOption(describedFor(each, text, language), form)),
      expected: right?.name ?? null,
      group: groupOf(domain),
      use: "gate" as const,
      language,
      form,
    }));
  const served = functions.flatMap((right) =>
    right[language].flatMap((text) => {
      const others = functions.filter((each) => each !== right);
      const isOpen = hashText(text, SEED) % OPEN_EVERY === 0;
      return [
        ...row(text, right, drawn(functions, text, right)),
        ...(isOpen ? row(text, null, drawn(others, text)) : []),
      ];
    }),
  );
  // Only a schema states that a value is required.
  const incomplete = functions.flatMap((right) =>
    (right.incomplete?.[language] ?? []).flatMap((text) =>
      row(text, null, drawn(functions, text, right)).filter(({ form }) => form === "schema"),
    ),
  );
  return [...served, ...incomplete, ...nothing[language].flatMap((text) => row(text, null, drawn(functions, text)))];
}

/** Half of the French requests have options with English descriptions, as in products with an English interface. */
function describedFor(
  { name, description, parameters, required }: DescribedFunction,
  text: string,
  language: Language,
): OfferedFunction {
  const isFrench = language === "fr" && hashText(text, SEED) % 2 === 0;
  return { name, description: description[isFrench ? "fr" : "en"], params: parameters, required };
}

function drawn(
  functions: readonly DescribedFunction[],
  text: string,
  right?: DescribedFunction,
): readonly DescribedFunction[] {
  const size = SIZES[hashText(`${text} size`, SEED) % SIZES.length];
  return drawnOptions(functions, ({ name }) => name, { text, right, size, seed: SEED });
}
