/**
 * Helpers for rules beyond the schemas. These rules also run on invalid bodies, so that one response lists every issue,
 * and read only values that the schema accepted.
 */
import type { ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";

/** Returns the objects of a list with their paths. An invalid list or entry already has an issue. */
export function objectsIn<T extends object>(list: readonly T[] | undefined, path: string, errors: ValidationErrors) {
  if (errors.isFull || errors.has(path) || !Array.isArray(list)) return [];
  const entries: readonly T[] = list;
  return entries.map((entry, index) => ({ entry, path: `${path}/${index}` })).filter(({ entry }) => isRecord(entry));
}

/** Adds an issue for every value that repeats an earlier one. */
export function refuseRepeated(
  sent: readonly { readonly value: unknown; readonly path: string }[],
  errors: ValidationErrors,
): void {
  const earlier = new Set<unknown>();
  for (const { value, path } of sent) {
    if (earlier.has(value)) errors.add({ path, reason: "uniqueItems", message: "This is a duplicate." });
    earlier.add(value);
  }
}

/** Counts code points, as JSON Schema does. */
export function charactersOf(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++)
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}

/** Escapes a name as a segment of a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
