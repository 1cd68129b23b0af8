/**
 * Canonical JSON (RFC 8785), so that anyone can recompute hashes and signatures. Numbers use the ECMAScript form;
 * `sort` orders keys by UTF-16 code units, as required.
 */

/**
 * Throws a TypeError for values outside JSON (undefined, NaN, functions): dropping them silently would sign another
 * value.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return canonicalString(value);
  // `-0` is written as 0, as by JSON.stringify.
  if (value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return String(value);
  if (value instanceof CanonicalText) return value.text;
  if (Array.isArray(value)) return canonicalArray(value);
  if (typeof value === "object") return canonicalObject(value);
  throw new TypeError(`canonical JSON cannot contain ${typeof value === "number" ? String(value) : typeof value}`);
}

export class CanonicalText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An object with names chosen by callers, all distinct. A real object would get its own hidden class, which costs
 * more than its text.
 */
export function canonicalEntries(entries: readonly (readonly [name: string, value: unknown])[]): CanonicalText {
  let text = "{";
  const isSorted = entries.every(([name], index) => index === 0 || entries[index - 1][0] < name);
  const sorted = isSorted ? entries : entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, value] of sorted)
    text += `${text.length > 1 ? "," : ""}${canonicalString(name)}:${canonicalJson(value)}`;
  return new CanonicalText(`${text}}`);
}

// Concatenates directly: building arrays of members and texts for each object only to join them is slower.

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

/** Throws for a lone surrogate, as RFC 8785 section 3.2.2.2 requires. */
function canonicalString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError("canonical JSON cannot contain a lone surrogate");
  return JSON.stringify(text);
}
