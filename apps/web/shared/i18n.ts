/**
 * Texts of a page in English and French. Keys, placeholders and completeness are checked by the compiler; plurals and
 * numbers come from `Intl`.
 */
const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

interface Plural {
  readonly one: string;
  readonly other: string;
}
/** `{name}` is a placeholder. A plural is chosen by `{count}`. */
export type Texts = Readonly<Record<string, string | Plural>>;
/** The same texts in another language. */
export type Translation<T extends Texts> = { readonly [Key in keyof T]: T[Key] extends string ? string : Plural };

type Names<Text extends string> = string extends Text
  ? string
  : Text extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Names<Rest>
    : never;
type NamesOf<Text> = Text extends string ? Names<Text> : Text extends Plural ? "count" | Names<Text["other"]> : never;
/** None without placeholders, any for texts that are not `as const`. */
type Values<Name extends string> = string extends Name
  ? [values?: Readonly<Record<string, string | number>>]
  : [Name] extends [never]
    ? []
    : [values: Readonly<Record<Name, string | number>>];

export interface Translator<T extends Texts> {
  readonly language: Language;
  say<Key extends keyof T & string>(key: Key, ...values: Values<NamesOf<T[Key]>>): string;
}

/** The language of `?lang=`, else the first supported one of the browser's list (`Accept-Language`), else English. */
export function chooseLanguage(requested: string | null, preferred: readonly string[]): Language {
  const tags = [requested ?? "", ...preferred].map((tag) => tag.toLowerCase().split("-")[0]);
  return tags.flatMap((tag) => LANGUAGES.find((language) => language === tag) ?? [])[0] ?? "en";
}

export function createTranslator<const T extends Texts>(language: Language, texts: T | Translation<T>): Translator<T> {
  const numbers = new Intl.NumberFormat(language);
  const plurals = new Intl.PluralRules(language);
  return {
    language,
    say(key, ...[values = {}]) {
      const filled: Readonly<Record<string, string | number>> = values;
      const text = texts[key];
      const chosen =
        typeof text === "string" ? text : text[plurals.select(Number(filled["count"])) === "one" ? "one" : "other"];
      return chosen.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const value = filled[name] ?? "";
        return typeof value === "number" ? numbers.format(value) : value;
      });
    },
  };
}
