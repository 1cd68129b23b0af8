/** What a numeric schema takes, in words. */
export function numberBounds(schema: Readonly<Record<string, unknown>>): string {
  const kind = schema["type"] === "integer" ? "a whole number" : "a number";
  const { minimum, exclusiveMinimum, maximum } = schema;
  const low = minimum === undefined ? above(exclusiveMinimum) : ` from ${String(minimum)}`;
  const high = maximum === undefined ? (minimum === undefined ? "" : " on") : ` to ${String(maximum)}`;
  return `${kind}${low}${high}`;
}

function above(bound: unknown): string {
  return bound === undefined ? "" : ` above ${String(bound)}`;
}
