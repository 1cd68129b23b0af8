/**
 * Texts of the screens. English texts stand where they are used, as in gettext. `{name}` is a placeholder, `<name>…</name>` an element
 * for `rich`, and a prefix up to `|` tells equal English texts with different meanings apart.
 */

/** For numbers and dates. */
export const locale = "en-GB";

export type Values = Readonly<Record<string, string | number>>;

/** Placeholders without a value stay, for `rich`. */
export function t(text: string, values: Values = {}): string {
  return fill(text.slice(text.indexOf("|") + 1), values);
}

/** As `t`, by the count, which is the value of `{count}`. */
export function plural(count: number, singular: string, many: string, values: Values = {}): string {
  return fill(count === 1 ? singular : many, { ...values, count: count.toLocaleString(locale) });
}

function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
