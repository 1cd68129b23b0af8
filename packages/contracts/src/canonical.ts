/**
 * Canonical JSON (RFC 8785): one text for one value, so that hashes and signatures over it can be made again by anybody. Numbers
 * are written as ECMAScript writes them, which is what the RFC asks for; keys are sorted by UTF-16 code units, as `sort` does.
 */

/** Throws a TypeError for what JSON cannot hold (undefined, NaN, functions): silently dropping it would sign another value. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${canonicalString(key)}:${canonicalJson(member)}`).join(",")}}`;
  }
  throw new TypeError(`canonical JSON holds no ${typeof value === "number" ? String(value) : typeof value}`);
}

/** A lone surrogate is no Unicode: the RFC (section 3.2.2.2) asks to end with an error. */
function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("canonical JSON holds no lone surrogate");
  return JSON.stringify(text);
}
