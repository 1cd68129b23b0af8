/**
 * Requests with functions to choose from (BFCL): development rows, grouped by shared functions, so that a scorer is
 * evaluated on unseen functions. Rows without a fitting function are included.
 */
import type { ChoiceRow } from "../src/options/train-options.ts";
import type { OptionEntry } from "../src/options/option.ts";
import type { DataFolder } from "./data-folder.ts";

export interface OfferedFunction {
  readonly name: string;
  readonly description: string;
  readonly params: Readonly<Record<string, { readonly description?: string; readonly enum?: readonly unknown[] }>>;
}

export interface FunctionRow {
  readonly id: string;
  readonly text: string;
  readonly options: readonly OfferedFunction[];
  readonly expected?: string;
}

export interface NamedChoiceRow extends ChoiceRow {
  readonly file: string;
}

export const CHOICE_FILES = ["choice/bfcl_multiple.jsonl", "choice/bfcl_live_multiple_dev.jsonl"] as const;
export const GATE_FILES = [
  "gate/bfcl_simple.jsonl",
  "gate/bfcl_live_simple.jsonl",
  "gate/bfcl_irrelevance.jsonl",
  "gate/bfcl_live_irrelevance_dev.jsonl",
] as const;

export function readChoiceRows(data: DataFolder): readonly NamedChoiceRow[] {
  const rows = [...CHOICE_FILES, ...GATE_FILES].flatMap((file) =>
    data
      .typed(file, "options", isFunctionRow)
      .filter(({ options }) => options.length > 0)
      .map((row) => ({ file, row })),
  );
  const groupOf = connected(rows.map(({ row }) => row.options.map(({ name }) => name)));
  return rows.map(({ file, row }, index) => ({ file, ...choiceOf(row), group: groupOf[index] }));
}

/** Rows of another file in this format: for evaluation only, outside all folds. */
export function judgedChoices(rows: readonly FunctionRow[]): readonly ChoiceRow[] {
  return rows.filter(({ options }) => options.length > 0).map((row) => ({ ...choiceOf(row), group: row.id }));
}

function choiceOf({ text, options, expected }: FunctionRow): Omit<ChoiceRow, "group"> {
  return { text, options: distinct(options.map(asOption)), expected: expected ?? null, use: "all" };
}

/** The folds of the live files, as in their README: a hash of the alphabetically first name. */
export function fileFold(options: readonly OptionEntry[]): string {
  const [first] = options.map(({ label }) => label).toSorted();
  return `fold ${Array.from(first).reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 7) % 5}`;
}

export function asOption({ name, description, params }: OfferedFunction): OptionEntry {
  const parameters = Object.entries(params).map(([parameter, { description = "", enum: values = [] }]) =>
    [parameter, description, ...values.map(String)].join(" "),
  );
  return { label: name, description, parameters, examples: [] };
}

/** Connected rows (sharing a member, directly or indirectly) get the name of their first row. */
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
