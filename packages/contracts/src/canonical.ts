/**
 * Canonical JSON (RFC 8785): one text for one value, so that hashes and signatures over it can be made again by anybody. Numbers
 * are written as ECMAScript writes them, which is what the RFC asks for; keys are sorted by UTF-16 code units, as `sort` does.
 */

/** Throws a TypeError for what JSON cannot hold (undefined, NaN, functions): silently dropping it would sign another value. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return canonicalString(value);
  // `-0` is written as 0, as by JSON.stringify.
  if (value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return String(value);
  if (value instanceof CanonicalText) return value.text;
  if (Array.isArray(value)) return canonicalArray(value);
  if (typeof value === "object") return canonicalObject(value);
  throw new TypeError(`canonical JSON holds no ${typeof value === "number" ? String(value) : typeof value}`);
}

/** A part that is canonical JSON already: it is taken as it is. */
export class CanonicalText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An object that is made only to be written, with names that callers chose: none is named twice. As an object it would get a shape of
 * its own, which takes longer to make than its text.
 */
export function canonicalEntries(entries: readonly (readonly [name: string, value: unknown])[]): CanonicalText {
  let text = "{";
  const isSorted = entries.every(([name], place) => place === 0 || entries[place - 1][0] < name);
  const sorted = isSorted ? entries : entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, value] of sorted)
    text += `${text.length > 1 ? "," : ""}${canonicalString(name)}:${canonicalJson(value)}`;
  return new CanonicalText(`${text}}`);
}

// Texts are put together piece by piece: a list of members and a list of their texts would be made for each object only to be joined.

function canonicalArray(values: readonly unknown[]): string {
  let text = "[";
  for (const value of values) text += (text.length > 1 ? "," : "") + canonicalJson(value);
  return `${text}]`;
}

function canonicalObject(value: object): string {
  let text = "{";
  for (const key of Object.keys(value).sort())
    text += `${text.length > 1 ? "," : ""}${canonicalString(key)}:${canonicalJson(Reflect.get(value, key))}`;
  return `${text}}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** A lone surrogate is no Unicode: the RFC (section 3.2.2.2) asks to end with an error. */
function canonicalString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError("canonical JSON holds no lone surrogate");
  return JSON.stringify(text);
}
