/**
 * Parses a body value by value. Invalid values are recorded with their path and treated as missing, so one response
 * lists every issue. A test keeps this parser equal to the schema.
 */
import { nearest, type ValidationErrors } from "@triptych/server";

/** Position of a value in the body. The path is built only for an issue: a body has thousands of positions. */
export interface JsonPointer {
  readonly errors: ValidationErrors;
  /** Null at the root. */
  readonly within: JsonPointer | null;
  readonly key: string | number;
}

export type Json = Readonly<Record<string, unknown>>;

/** Longest field name that a response repeats. */
const NAME_LENGTH_MAX = 80;

export function wholeBody(errors: ValidationErrors): JsonPointer {
  return { errors, within: null, key: "" };
}

export function at(within: JsonPointer, key: string | number): JsonPointer {
  return { errors: within.errors, within, key };
}

export function pathOf({ within, key }: JsonPointer): string {
  if (within === null) return "";
  return `${pathOf(within)}/${String(key).slice(0, NAME_LENGTH_MAX).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function issue(pointer: JsonPointer, reason: string, message: string): void {
  if (!pointer.errors.isFull) pointer.errors.add({ path: pathOf(pointer), reason, message });
}

export function hasIssueAt(pointer: JsonPointer): boolean {
  const found = pointer.errors.list();
  if (found.length === 0) return false;
  const path = pathOf(pointer);
  return found.some((issue) => issue.path === path || issue.path.startsWith(`${path}/`));
}

export function readObject(value: unknown, pointer: JsonPointer): Json | null {
  if (isObject(value)) return value;
  issue(pointer, "wrong_type", pointer.within === null ? "The body must be a JSON object." : "This must be an object.");
  return null;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every unknown field is an issue, with the nearest known name. */
export function refuseUnknown(object: Json, allowed: readonly string[], pointer: JsonPointer): void {
  for (const name of Object.keys(object)) {
    if (pointer.errors.isFull) break;
    if (allowed.includes(name)) continue;
    const label = name.slice(0, 60);
    const suggestions = nearest(label, allowed, 1);
    const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
    pointer.errors.add({
      path: pathOf(at(pointer, label)),
      reason: "unknown_field",
      message: `Unknown field \`${label}\`.${hint}`,
      ...(suggestions.length > 0 && { suggestions }),
    });
  }
}

export interface TextBounds {
  readonly min?: number;
  readonly max: number;
  readonly isRequired?: true;
}

export function readText(
  value: unknown,
  { min = 0, max, isRequired }: TextBounds,
  pointer: JsonPointer,
): string | null {
  if (typeof value !== "string") issue(pointer, "wrong_type", "This must be a string.");
  else if (isRequired && !/\S/.test(value)) issue(pointer, "empty", "This must contain more than white space.");
  else if (value.length < min) issue(pointer, "too_short", `This must have at least ${min} characters.`);
  else if (isLonger(value, max)) issue(pointer, "too_long", `This may have at most ${max} characters.`);
  else return value;
  return null;
}

/** Counts code points, as JSON Schema does; the cheaper code unit count is an upper bound. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && charactersOf(text) > max;
}

export function charactersOf(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++)
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}

export interface NumberBounds {
  readonly min: number;
  readonly max: number;
}

/** Null when missing or invalid. */
export function readNumber(value: unknown, { min, max }: NumberBounds, pointer: JsonPointer): number | null {
  if (value === undefined) return null;
  if (typeof value === "number" && value >= min && value <= max) return value;
  const reason = typeof value === "number" ? "out_of_range" : "wrong_type";
  issue(pointer, reason, `This must be a number from ${min} to ${max}.`);
  return null;
}

export interface ListBounds {
  readonly min: number;
  readonly max: number;
  readonly things: string;
}

/** Items up to the maximum length; the rest is not parsed. */
export function readList(value: unknown, { min, max, things }: ListBounds, pointer: JsonPointer): readonly unknown[] {
  if (!Array.isArray(value)) {
    issue(pointer, "wrong_type", `This must be a list of ${things}.`);
    return [];
  }
  const list: readonly unknown[] = value;
  checkCount(list.length, { min, max, things }, pointer);
  return list.slice(0, max);
}

export function readEntries(
  value: Json,
  bounds: ListBounds,
  pointer: JsonPointer,
): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(value);
  checkCount(entries.length, bounds, pointer);
  return entries.slice(0, bounds.max);
}

function checkCount(count: number, { min, max, things }: ListBounds, pointer: JsonPointer): void {
  if (count < min)
    issue(
      pointer,
      "too_few",
      min === 1 ? "This must not be empty." : `This must contain at least ${min} ${things}, got ${count}.`,
    );
  if (count > max) issue(pointer, "too_many", `This may contain at most ${max} ${things}, got ${count}.`);
}

export function readEnum<const T extends string>(
  value: unknown,
  allowed: readonly T[],
  pointer: JsonPointer,
): T | null {
  const found = allowed.find((option) => option === value);
  if (found !== undefined) return found;
  pointer.errors.add({
    path: pathOf(pointer),
    reason: "not_allowed",
    message: `This must be one of ${allowed.join(", ")}.`,
    allowed,
    ...(typeof value === "string" && { suggestions: nearest(value, allowed, 1) }),
  });
  return null;
}
