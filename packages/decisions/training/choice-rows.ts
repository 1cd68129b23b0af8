/**
 * Requests with functions to choose from (BFCL): development rows, grouped by shared functions, so that a scorer is
 * evaluated on unseen functions. Rows without a fitting function are included.
 */
import type { ChoiceRow } from "../src/options/train-options.ts";
import type { OptionEntry } from "../src/options/option.ts";
import { plainParameter } from "../src/options/parameters.ts";
import type { DataFolder } from "./data-folder.ts";

export interface OfferedFunction {
  readonly name: string;
  readonly description: string;
  readonly params: Readonly<
    Record<string, { readonly type?: string; readonly description?: string; readonly enum?: readonly unknown[] }>
  >;
  readonly required?: readonly string[];
}

export interface FunctionRow {
  readonly id: string;
  readonly text: string;
  readonly options: readonly OfferedFunction[];
  readonly expected?: string;
}

export interface NamedChoiceRow extends ChoiceRow {
  readonly file: string;
  readonly form: ParameterForm;
}

export const CHOICE_FILES = ["choice/bfcl_multiple.jsonl", "choice/bfcl_live_multiple_dev.jsonl"] as const;
export const GATE_FILES = [
  "gate/bfcl_simple.jsonl",
  "gate/bfcl_live_simple.jsonl",
  "gate/bfcl_irrelevance.jsonl",
  "gate/bfcl_live_irrelevance_dev.jsonl",
] as const;

export function readChoiceRows(data: DataFolder, form: ParameterForm = "schema"): readonly NamedChoiceRow[] {
  const rows = [...CHOICE_FILES, ...GATE_FILES].flatMap((file) =>
    data
      .typed(file, "options", isFunctionRow)
      .filter(({ options }) => options.length > 0)
      .map((row) => ({ file, row })),
  );
  const groupOf = connected(rows.map(({ row }) => row.options.map(({ name }) => name)));
  return rows.map(({ file, row }, index) => ({ file, form, ...choiceOf(row, form), group: groupOf[index] }));
}

/** Rows of another file in this format, which are for evaluation only and belong to no fold. */
export function judgedChoices(rows: readonly FunctionRow[], form?: ParameterForm): readonly ChoiceRow[] {
  return rows.filter(({ options }) => options.length > 0).map((row) => ({ ...choiceOf(row, form), group: row.id }));
}

function choiceOf({ text, options, expected }: FunctionRow, form?: ParameterForm): Omit<ChoiceRow, "group"> {
  return {
    text,
    options: distinct(options.map((option) => asOption(option, form))),
    expected: expected ?? null,
    use: "all",
  };
}

/** The fold of a row of the live files, as in their README: a hash of the alphabetically first name. */
export function fileFold(options: readonly OptionEntry[]): string {
  const [first] = options.map(({ label }) => label).toSorted();
  return `fold ${Array.from(first).reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 7) % 5}`;
}

/** The three forms in which callers send parameters: as a schema, as full strings, or as names. */
export const FORMS = ["schema", "strings", "names"] as const;
export type ParameterForm = (typeof FORMS)[number];

export function asOption(offered: OfferedFunction, form: ParameterForm = "schema"): OptionEntry {
  const { name, description, params, required = [] } = offered;
  const needed = new Set(required);
  const parameters = Object.entries(params).map(([parameter, { type = "", description = "", enum: values = [] }]) => {
    if (form === "names") return plainParameter(parameter);
    const text = [parameter, description, ...values.map(String)].join(" ");
    if (form === "strings") return plainParameter(text);
    return { text, required: needed.has(parameter), type, values: values.map(String) };
  });
  return { label: name, description, parameters, examples: [] };
}

/** Rows that are connected, because they share a member directly or indirectly, get the name of their first row. */
function connected(rows: readonly (readonly string[])[]): string[] {
  const parents = new Map<string, string>();
  for (const [first, ...others] of rows) for (const other of others) parents.set(rootOf(other), rootOf(first));
  return rows.map(([first]) => rootOf(first));

  function rootOf(name: string): string {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
      root = parent;
    return root;
  }
}

function distinct(options: readonly OptionEntry[]): OptionEntry[] {
  return [...new Map(options.map((option) => [option.label, option])).values()];
}

export function isFunctionRow(row: unknown): row is FunctionRow {
  if (typeof row !== "object" || row === null) return false;
  const options: unknown = Reflect.get(row, "options");
  const expected: unknown = Reflect.get(row, "expected");
  return (
    typeof Reflect.get(row, "text") === "string" &&
    (expected === undefined || typeof expected === "string") &&
    Array.isArray(options) &&
    options.every(isFunction)
  );
}

export function isFunction(value: unknown): value is OfferedFunction {
  if (typeof value !== "object" || value === null) return false;
  const member = (name: string): unknown => Reflect.get(value, name);
  return (
    typeof member("name") === "string" &&
    typeof member("description") === "string" &&
    typeof member("params") === "object" &&
    member("params") !== null
  );
}
