/** Reads the parameters of an option: a list of names, or a JSON Schema whose leaves become parameters. */
import { OPTION_TEXT_MAX, PARAMETER_DEPTH_MAX, PARAMETER_VALUES_MAX } from "@triptych/contracts";
import { nearest, type ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";
import type { OptionParameter } from "../../domain/engine.ts";
import { flattenJson, joined } from "../../domain/conversation.ts";
import { escapePointer } from "./rules.ts";

type Members = Readonly<Record<string, unknown>>;

/** Maximum number of leaves read from one schema; more do not help to recognize its purpose. */
const LEAVES_MAX = 64;
/** Members of a structured description that may contain a schema, because clients differ. */
const SCHEMA_MEMBERS = ["parameters", "input_schema", "inputSchema"] as const;

export function readParameters(sent: unknown): readonly OptionParameter[] {
  if (Array.isArray(sent)) return sent.filter((text) => typeof text === "string").map(named);
  return isRecord(sent)
    ? leavesOf(sent, { prefix: "", isNeeded: true, depth: PARAMETER_DEPTH_MAX }).slice(0, LEAVES_MAX)
    : [];
}

function named(text: string): OptionParameter {
  return { text, required: null, type: "", values: [] };
}

interface Level {
  readonly prefix: string;
  /** Whether the object itself is required. */
  readonly isNeeded: boolean;
  readonly depth: number;
}

function leavesOf(schema: Members, { prefix, isNeeded, depth }: Level): readonly OptionParameter[] {
  const { properties, required } = schema;
  if (!isRecord(properties)) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, sent]) => {
      const property = variantOf(isRecord(sent) ? sent : {});
      const path = prefix === "" ? name : `${prefix} ${name}`;
      const isRequired = isNeeded && needed.has(name);
      const isObject = depth > 1 && isRecord(property["properties"]) && Object.keys(property["properties"]).length > 0;
      if (isObject) return leavesOf(property, { prefix: path, isNeeded: isRequired, depth: depth - 1 });
      return [leaf(path, property, isRequired)];
    });
}

function leaf(path: string, { type, format, description, enum: allowed }: Members, required: boolean): OptionParameter {
  const values = (Array.isArray(allowed) ? allowed : [])
    .slice(0, PARAMETER_VALUES_MAX)
    .filter((value) => value !== null);
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return {
    text: [path, textOf(description), ...texts]
      .filter((text) => text !== "")
      .join(" ")
      .slice(0, OPTION_TEXT_MAX),
    required,
    type: [typeOf(type), textOf(format)].filter((text) => text !== "").join(" "),
    values: texts,
  };
}

/** `["string", "null"]` and `anyOf: [{type: "string"}, {type: "null"}]` both mean an optional string. */
function variantOf(property: Members): Members {
  const variants = property["anyOf"] ?? property["oneOf"];
  if (!Array.isArray(variants) || property["type"] !== undefined) return property;
  const first: unknown = variants.find((variant) => isRecord(variant) && variant["type"] !== "null");
  return isRecord(first) ? { ...first, ...property } : property;
}

function typeOf(type: unknown): string {
  if (Array.isArray(type)) return textOf(type.find((name) => name !== "null"));
  return textOf(type);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Adds an issue for every required name without a property. Also runs on schemas with other issues. */
export function checkParameters(sent: unknown, path: string, errors: ValidationErrors): void {
  if (!isRecord(sent) || errors.isFull) return;
  const { properties = {}, required } = sent;
  if (!isRecord(properties)) return;
  const names = Object.keys(properties);
  for (const [index, name] of (Array.isArray(required) ? required : []).entries())
    if (typeof name === "string" && !names.includes(name)) {
      const suggestions = nearest(name, names, 1);
      const message = "This required parameter is not among the properties.";
      errors.add({
        path: `${path}/required/${index}`,
        reason: "required_unknown",
        message,
        ...(suggestions.length > 0 && { suggestions }),
      });
    }
  for (const [name, property] of Object.entries(properties))
    checkParameters(property, `${path}/properties/${escapePointer(name)}`, errors);
}

interface Described {
  readonly description: string;
  readonly parameters: readonly OptionParameter[];
}

/** If a description is a tool definition, reads its schema as parameters and the rest as text. */
export function readDescribed(sent: unknown): Described {
  if (!isRecord(sent)) return { description: flattenJson(sent), parameters: [] };
  const tool = isRecord(sent["function"]) ? sent["function"] : sent;
  const member = SCHEMA_MEMBERS.find((name) => isSchema(tool[name]));
  if (member === undefined) return { description: flattenJson(sent), parameters: [] };
  const { [member]: schema, name: _name, type: _type, description, ...others } = tool;
  return { description: joined([flattenJson(description), flattenJson(others)]), parameters: readParameters(schema) };
}

function isSchema(value: unknown): boolean {
  return isRecord(value) && value["type"] === "object" && isRecord(value["properties"]);
}
