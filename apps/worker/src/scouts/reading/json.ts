/** Reads untrusted JSON of a repository. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Null if the text is not a JSON object. */
export function parseObject(text: string | null): JsonObject | null {
  try {
    const value: unknown = text === null ? null : JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Null if it is not a non-empty string. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
