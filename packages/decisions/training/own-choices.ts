/** Option sets of ten domains with requests in English and French, written by the team, for evaluation only. */
import { readdirSync, readFileSync } from "node:fs";
import type { ChoiceRow } from "../src/options/train-options.ts";
import type { Language } from "./phrasings.ts";

type Both<T> = Readonly<Record<Language, T>>;

export interface ChoiceDomain {
  readonly domain: string;
  readonly options: readonly ({ readonly label: Both<string>; readonly description: Both<string> } & Both<
    readonly string[]
  >)[];
  /** Requests that no option of the domain serves. */
  readonly nothing: Both<readonly string[]>;
}

export const CHOICE_FORMS = ["described", "bare"] as const;
const FOLDER = new URL("../choices/", import.meta.url);

export function readChoiceDomains(): readonly ChoiceDomain[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ChoiceDomain);
}

export function readOwnChoices(language: Language, form: (typeof CHOICE_FORMS)[number]): readonly ChoiceRow[] {
  return readChoiceDomains().flatMap(({ domain, options, nothing }) => {
    const entries = options.map(({ label, description }) => ({
      label: label[language],
      description: form === "described" ? description[language] : "",
      parameters: [],
      examples: [],
    }));
    const row = (text: string, expected: string | null): ChoiceRow => ({
      text,
      options: entries,
      expected,
      group: domain,
      use: "all",
    });
    return [
      ...options.flatMap((option) => option[language].map((text) => row(text, option.label[language]))),
      ...nothing[language].map((text) => row(text, null)),
    ];
  });
}
