/** A plausible value for a schema: its own example if it has one, else the simplest valid value. */

const OF_FORMAT: Readonly<Record<string, string>> = {
  email: "you@example.org",
  uri: "https://example.org/",
  date: "2026-11-02",
  "date-time": "2026-11-02T08:00:00.000Z",
};

/** Omits optional members, unless the object would be empty. */
export function exampleValue(schema: unknown): unknown {
  const { examples, default: preset, anyOf, items, properties, format, type, minimum, ...more } = record(schema);
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (preset !== undefined) return preset;
  if (more["const"] !== undefined) return more["const"];
  if (Array.isArray(more["enum"])) return more["enum"][0];
  if (Array.isArray(anyOf)) return exampleValue(anyOf[0]);
  if (type === "object") return exampleObject(record(properties), more["required"]);
  if (type === "array")
    return Array.from({ length: Math.max(1, Number(more["minItems"] ?? 1)) }, () => exampleValue(items));
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return true;
  if (type === "string")
    return (typeof format === "string" ? OF_FORMAT[format] : undefined) ?? exampleText(more["pattern"]);
  return null;
}

/** The first one that matches the pattern is used: a plain word, a URL, a digest. */
const TEXTS = ["example", "https://example.org/", "0".repeat(64)];

function exampleText(pattern: unknown): string {
  const fits = (text: string) => typeof pattern !== "string" || new RegExp(pattern, "u").test(text);
  return TEXTS.find(fits) ?? "…";
}

function exampleObject(properties: Readonly<Record<string, unknown>>, required: unknown): Record<string, unknown> {
  const names = Object.keys(properties);
  const needed = names.filter((name) => Array.isArray(required) && required.includes(name));
  const included = needed.length > 0 ? needed : names.slice(0, 1);
  return Object.fromEntries(included.map((name) => [name, exampleValue(properties[name])]));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
