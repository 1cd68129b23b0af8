/**
 * RFC 8785 canonical JSON of plain data: members sorted by UTF-16 code units, numbers and strings in ECMAScript form.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`JSON cannot contain ${value}.`);
  return JSON.stringify(value);
}
