/** JSON schemas for readers: an outline of the JSON with the type and description of each key. */
import { isRecord } from "@triptych/util";

/** Allowed values of a parameter: "one of …", "0 to 100", "at most 20 values"; empty if unrestricted. */
export function allowedValues(schema: unknown): string {
  const list = at(schema, "items");
  const bounds = [
    ...describeEnum(list ?? schema),
    ...range(schema),
    ...variants(schema).map(allowedValues),
    ...(at(schema, "x-repeat") === "and"
      ? ["may be repeated: all must match"]
      : list === undefined
        ? []
        : ["comma list"]),
    ...limit(schema, "maxItems", "values"),
    ...limit(list ?? schema, "maxLength", "characters"),
  ];
  return bounds.filter((text) => text !== "").join(" · ");
}

/** `{ items: [ … ], total: integer }` over several lines, descriptions after `//`. */
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

function describeEnum(schema: unknown): string[] {
  const values = at(schema, "enum");
  if (!Array.isArray(values)) return typeof at(schema, "const") === "string" ? [String(at(schema, "const"))] : [];
  return values.length > 20 ? [] : [`one of ${values.join(", ")}`];
}

function range(schema: unknown): string[] {
  const [least, above, most] = ["minimum", "exclusiveMinimum", "maximum"].map((name) => at(schema, name));
  const from = typeof least === "number" ? `${least}` : typeof above === "number" ? `more than ${above}` : "";
  const to = typeof most === "number" ? most.toLocaleString("en-GB") : "";
  return from === "" && to === "" ? [] : [`${from} to ${to}`.trim()];
}

function limit(schema: unknown, name: string, unit: string): string[] {
  const most = at(schema, name);
  return typeof most === "number" ? [`at most ${most} ${unit}`] : [];
}

function variants(schema: unknown): readonly unknown[] {
  const choices = at(schema, "anyOf");
  return Array.isArray(choices) ? choices : [];
}

function at(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
