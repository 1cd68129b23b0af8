/** Reads JSON of a foreign program: a missing value, or one of another type, is undefined. */
import { readFile } from "node:fs/promises";

export type Json = Readonly<Record<string, unknown>>;

/** Undefined if the line is not a JSON object. */
export function readObject(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return found;
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

export function countAt(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? Math.max(0, Math.round(found)) : 0;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Formats a value for display: a string unchanged, everything else as JSON. */
export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

/** Undefined if the file is missing or corrupt: a power failure may leave an empty one. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
