/** Choices that are for evaluation only: API-Bank and When2Call. */
import type { ChoiceRow } from "../src/options/train-options.ts";
import { asOption, isFunction, type OfferedFunction } from "./choice-rows.ts";
import type { DataFolder } from "./data-folder.ts";

export interface ApiBankRow {
  readonly text: string;
  readonly context: readonly Message[];
  readonly after: readonly Message[];
  readonly expected: string;
}

interface Message {
  readonly content: string;
}

/**
 * Reads the development part unless `rows` are given. The state is the request with everything that followed; earlier
 * messages are the context.
 */
export function readApiBank(data: DataFolder, rows?: readonly ApiBankRow[]): readonly ChoiceRow[] {
  const apis = data.json("tools/apibank_options.json", "evaluation");
  if (!Array.isArray(apis)) throw new Error("apibank_options.json must contain a list.");
  const options = apis.map((api: { readonly name: string; readonly description: string }) => ({
    label: api.name,
    description: api.description,
    parameters: [],
    examples: [],
  }));
  return (rows ?? data.typed("tools/apibank_dev.jsonl", "evaluation", isApiBank)).map(
    ({ text, context, after, expected }) => ({
      text: [text, ...after.map(({ content }) => content)].join("\n"),
      context: context.map(({ content }) => content).join("\n"),
      options,
      expected,
      group: "API-Bank",
      use: "all",
    }),
  );
}

export interface When2CallRow {
  readonly text: string;
  readonly options: readonly OfferedFunction[];
  readonly label: string;
}

/** Reads the development part unless `rows` are given. Labels only say whether a function is called, not which one. */
export function readWhen2Call(data: DataFolder, rows?: readonly When2CallRow[]): readonly ChoiceRow[] {
  return (rows ?? data.typed("action/when2call_dev.jsonl", "evaluation", isWhen2Call))
    .filter(({ options }) => options.length > 0)
    .map(({ text, options, label }) => ({
      text,
      options: [...new Map(options.map((option) => [option.name, asOption(option)])).values()],
      expected: label === "tool_call" ? "" : null,
      group: "When2Call",
      use: "all",
    }));
}

export function isApiBank(row: unknown): row is ApiBankRow {
  if (typeof row !== "object" || row === null) return false;
  const member = (name: string): unknown => Reflect.get(row, name);
  return (
    typeof member("text") === "string" &&
    typeof member("expected") === "string" &&
    [member("context"), member("after")].every((list) => Array.isArray(list) && list.every(isMessage))
  );
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "content") === "string";
}

export function isWhen2Call(row: unknown): row is When2CallRow {
  if (typeof row !== "object" || row === null) return false;
  const options: unknown = Reflect.get(row, "options");
  return (
    typeof Reflect.get(row, "text") === "string" &&
    typeof Reflect.get(row, "label") === "string" &&
    Array.isArray(options) &&
    options.every(isFunction)
  );
}
