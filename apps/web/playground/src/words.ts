/** Texts, numbers and money in the language of this page. */
import { createFormat } from "../../shared/format.ts";
import { chooseLanguage, createTranslator } from "../../shared/i18n.ts";
import { ENGLISH, FRENCH } from "./texts.ts";

export const language = chooseLanguage(new URLSearchParams(location.search).get("lang"), navigator.languages);
export const { say } = createTranslator<typeof ENGLISH>(language, language === "fr" ? FRENCH : ENGLISH);

export const euro = createFormat(language).columnEuro;

const shares = new Intl.NumberFormat(language, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

export function percent(share: number): string {
  if (share > 0 && share < 0.001) return `< ${shares.format(0.001)}`;
  return share > 0.999 && share < 1 ? `> ${shares.format(0.999)}` : shares.format(share);
}

const milliseconds = new Intl.NumberFormat(language, { minimumFractionDigits: 3, maximumFractionDigits: 3 });

export function duration(ms: number): string {
  return `${milliseconds.format(ms)} ms`;
}
