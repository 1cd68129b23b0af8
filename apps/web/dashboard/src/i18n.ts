/**
 * Texts of the screens in English and French. English texts are written where they are used, and are the keys of the French catalogue, as
 * in gettext. `{name}` is a placeholder, `<name>…</name>` an element for `rich`, and a prefix up to `|` tells equal English texts with
 * different meanings apart.
 *
 * The catalogue is a separate chunk, loaded before other modules run, so that tables can translate their texts once. The language
 * therefore changes with a reload.
 */
import { chooseLanguage, type Language } from "../../shared/i18n.ts";
import { remembered } from "./local.ts";

/** Each language by its own name. */
export const LANGUAGES: readonly (readonly [Language, string])[] = [
  ["en", "English"],
  ["fr", "Français"],
];

/** Singular and plural where the text depends on a count. */
export type Catalogue = Readonly<Record<string, string | readonly [singular: string, plural: string]>>;

const preferred = "document" in globalThis ? navigator.languages : [];

/** The user's choice, otherwise what the browser sends as `Accept-Language`. */
export const language = remembered<Language>("language", ["en", "fr"], chooseLanguage(null, preferred));

/** Null in English, and if the chunk could not be loaded. */
const french = language.get() === "fr" ? await import("./french/index.ts").catch((): null => null) : null;

/** Language of the texts that are shown. */
export const pageLanguage: Language = french === null ? "en" : "fr";

/** For numbers and dates: the browser's region, where its language is that of the page. */
export const locale =
  preferred.find((tag) => tag.toLowerCase().split("-")[0] === pageLanguage) ??
  (pageLanguage === "fr" ? "fr-FR" : "en-GB");

const plurals = new Intl.PluralRules(locale);

export type Values = Readonly<Record<string, string | number>>;

/** Placeholders without a value stay, for `rich`. */
export function t(text: string, values: Values = {}): string {
  const found = french?.FRENCH[text];
  return fill(typeof found === "string" ? found : text.slice(text.indexOf("|") + 1), values);
}

/** A text that the panel wrote, such as a problem or a hint, in French if the catalogue has it. */
export function panelText(text: string): string {
  return french?.translatePanelText(text) ?? text;
}

/** Like `t`, but chooses by the count, which is the value of `{count}`. */
export function plural(count: number, singular: string, many: string, values: Values = {}): string {
  const found = french?.FRENCH[singular];
  const [one, other] = typeof found === "object" ? found : [singular, many];
  const text = plurals.select(count) === "one" ? one : other;
  return fill(text, { ...values, count: count.toLocaleString(locale) });
}

function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
