export function numberBounds(schema: Readonly<Record<string, unknown>>): string {
  const kind = schema["type"] === "integer" ? "a whole number" : "a number";
  const from = bound("from", schema["minimum"]) || bound("above", schema["exclusiveMinimum"]);
  return [kind, from, bound("to", schema["maximum"])].filter((part) => part !== "").join(" ");
}

function bound(label: string, value: unknown): string {
  return typeof value === "number" ? `${label} ${value}` : "";
}
