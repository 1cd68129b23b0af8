/**
 * Reading of a body, value by value: what is right is returned, what is wrong is noted with its place and read as if it had not been
 * sent, so that one answer names every fault. The published schema says the same; a test holds the two together.
 */
import { nearest, type Faults } from "@triptych/server";

/** Where a value stands in a body. Its path is written only where something is wrong there: a body has thousands of places. */
export interface Place {
  readonly faults: Faults;
  /** Null at the top. */
  readonly within: Place | null;
  readonly key: string | number;
}

export type Json = Readonly<Record<string, unknown>>;

/** Longest name of a field that an answer repeats. */
const SHOWN_NAME = 80;

export function wholeBody(faults: Faults): Place {
  return { faults, within: null, key: "" };
}

export function at(within: Place, key: string | number): Place {
  return { faults: within.faults, within, key };
}

/** JSON pointer. */
export function pathOf({ within, key }: Place): string {
  if (within === null) return "";
  return `${pathOf(within)}/${String(key).slice(0, SHOWN_NAME).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function fault(place: Place, reason: string, message: string): void {
  if (!place.faults.isFull) place.faults.add({ path: pathOf(place), reason, message });
}

/** Whether anything was found here or inside. */
export function hasFaultAt(place: Place): boolean {
  const found = place.faults.list();
  if (found.length === 0) return false;
  const path = pathOf(place);
  return found.some((one) => one.path === path || one.path.startsWith(`${path}/`));
}

export function readObject(value: unknown, place: Place): Json | null {
  if (isObject(value)) return value;
  fault(place, "wrong_type", place.within === null ? "The body must be a JSON object." : "This must be an object.");
  return null;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every field that is not among the known ones is a fault, with the nearest name. */
export function refuseUnknown(object: Json, known: readonly string[], place: Place): void {
  for (const name of Object.keys(object)) {
    if (place.faults.isFull) break;
    if (known.includes(name)) continue;
    const shown = name.slice(0, 60);
    const suggestions = nearest(shown, known, 1);
    const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
    place.faults.add({
      path: pathOf(at(place, shown)),
      reason: "unknown_field",
      message: `There is no field \`${shown}\`.${hint}`,
      ...(suggestions.length > 0 && { suggestions }),
    });
  }
}

export interface TextBounds {
  readonly min?: number;
  readonly max: number;
  /** It must hold something that is no white space. */
  readonly isSaid?: true;
}

export function readText(value: unknown, { min = 0, max, isSaid }: TextBounds, place: Place): string | null {
  if (typeof value !== "string") fault(place, "wrong_type", "This must be a string.");
  else if (isSaid && !/\S/.test(value)) fault(place, "empty", "This must hold more than white space.");
  else if (value.length < min) fault(place, "too_short", `This must have at least ${min} characters.`);
  else if (isLonger(value, max)) fault(place, "too_long", `This may have at most ${max} characters.`);
  else return value;
  return null;
}

/** Characters are code points, as JSON Schema counts them; there are never more of them than code units. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && charactersOf(text) > max;
}

export function charactersOf(text: string): number {
  let count = text.length;
  for (let place = 0; place < text.length - 1; place++)
    if ((text.charCodeAt(place) & 0xfc00) === 0xd800 && (text.charCodeAt(place + 1) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}

export interface NumberBounds {
  readonly min: number;
  readonly max: number;
}

/** Null where it was not sent or is not right. */
export function readNumber(value: unknown, { min, max }: NumberBounds, place: Place): number | null {
  if (value === undefined) return null;
  if (typeof value === "number" && value >= min && value <= max) return value;
  const reason = typeof value === "number" ? "out_of_range" : "wrong_type";
  fault(place, reason, `This must be a number from ${min} to ${max}.`);
  return null;
}

export interface ListBounds {
  readonly min: number;
  readonly max: number;
  /** What the list is of. */
  readonly things: string;
}

/** The list as far as it may be long: what stands behind is not looked at. */
export function readList(value: unknown, { min, max, things }: ListBounds, place: Place): readonly unknown[] {
  if (!Array.isArray(value)) {
    fault(place, "wrong_type", `This must be a list of ${things}.`);
    return [];
  }
  const list: readonly unknown[] = value;
  checkCount(list.length, { min, max, things }, place);
  return list.slice(0, max);
}

export function readEntries(value: Json, bounds: ListBounds, place: Place): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(value);
  checkCount(entries.length, bounds, place);
  return entries.slice(0, bounds.max);
}

function checkCount(count: number, { min, max, things }: ListBounds, place: Place): void {
  if (count < min)
    fault(
      place,
      "too_few",
      min === 1 ? "This must not be empty." : `This must hold at least ${min} ${things}, not ${count}.`,
    );
  if (count > max) fault(place, "too_many", `This may hold at most ${max} ${things}, not ${count}.`);
}

export function readOneOf<const T extends string>(value: unknown, allowed: readonly T[], place: Place): T | null {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  place.faults.add({
    path: pathOf(place),
    reason: "not_allowed",
    message: `This must be one of ${allowed.join(", ")}.`,
    allowed,
    ...(typeof value === "string" && { suggestions: nearest(value, allowed, 1) }),
  });
  return null;
}
