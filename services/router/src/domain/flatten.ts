/** Serializes JSON as plain text in a fixed order, without JSON punctuation, which would distort the judgement. */
export function flattenJson(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(flattenJson).filter(isText).join("\n");
  if (typeof value === "object")
    return Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, flattenJson(member)].filter(isText).join(" "))
      .join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isText(text: string): boolean {
  return text !== "";
}
