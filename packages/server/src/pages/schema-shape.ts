/** Shows a JSON schema to readers: an outline of the JSON with the type and description of each key. */
import { isRecord } from "@triptych/util";
import { fill, PAGE_TEXTS, type Language } from "./page-texts.ts";

/** Allowed values of a parameter: "one of …", "0 to 100", "at most 20 values"; empty if unrestricted. */
export function allowedValues(schema: unknown, language: Language = "en"): string {
  const texts = PAGE_TEXTS[language].values;
  const list = at(schema, "items");
  const bounds = [
    ...describeEnum(list ?? schema, language),
    ...range(schema, language),
    ...variants(schema).map((variant) => allowedValues(variant, language)),
    ...(at(schema, "x-repeat") === "and" ? [texts.repeated] : list === undefined ? [] : [texts.list]),
    ...limit(schema, "maxItems", texts.items),
    ...limit(list ?? schema, "maxLength", texts.characters),
  ];
  return bounds.filter((text) => text !== "").join(" · ");
}

/** `{ items: [ … ], total: integer }` on several lines, with descriptions after `//`. */
export function schemaShape(schema: unknown, depth = 0): string {
  const choices = variants(schema);
  if (choices.length > 0) return choices.map((choice) => schemaShape(choice, depth)).join(" | ");
  const values = [at(schema, "enum"), at(schema, "const")].flat().filter((value) => value !== undefined);
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(" | ");
  const properties = at(schema, "properties");
  const item = at(schema, "items");
  if (isRecord(properties)) return objectShape(properties, depth);
  if (item !== undefined) return `[ ${schemaShape(item, depth)} ]`;
  const format = at(schema, "format");
  const type = at(schema, "type");
  if (typeof type !== "string") return "any";
  if (type === "object") return "{ name: value }";
  return typeof format === "string" ? `${type} (${format})` : type;
}

function objectShape(properties: Readonly<Record<string, unknown>>, depth: number): string {
  const indent = "  ".repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, schema]) => {
    const remark = at(schema, "description");
    return `${indent}${name}: ${schemaShape(schema, depth + 1)}${typeof remark === "string" ? `  // ${remark}` : ""}`;
  });
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

function describeEnum(schema: unknown, language: Language): string[] {
  const values = at(schema, "enum");
  if (!Array.isArray(values)) return typeof at(schema, "const") === "string" ? [String(at(schema, "const"))] : [];
  return values.length > 20 ? [] : [fill(PAGE_TEXTS[language].values.oneOf, values.join(", "))];
}

function range(schema: unknown, language: Language): string[] {
  const texts = PAGE_TEXTS[language].values;
  const [least, above, most] = ["minimum", "exclusiveMinimum", "maximum"].map((name) => at(schema, name));
  const to = typeof most === "number" ? most.toLocaleString(language === "fr" ? "fr-FR" : "en-GB") : "";
  if (typeof above === "number") return [fill(texts.rangeAbove, above, to).trim()];
  const from = typeof least === "number" ? `${least}` : "";
  return from === "" && to === "" ? [] : [fill(texts.range, from, to).trim()];
}

function limit(schema: unknown, name: string, text: string): string[] {
  const most = at(schema, name);
  return typeof most === "number" ? [fill(text, most)] : [];
}

function variants(schema: unknown): readonly unknown[] {
  const choices = at(schema, "anyOf");
  return Array.isArray(choices) ? choices : [];
}

function at(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
