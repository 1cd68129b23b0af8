/** Texts and formats in the language of this page. */
import { ProblemError } from "@triptych/client";
import { createFormat } from "../../shared/format.ts";
import { chooseLanguage, createTranslator } from "../../shared/i18n.ts";
import { FRENCH, FRENCH_PROBLEMS } from "./texts-fr.ts";
import { ENGLISH } from "./texts.ts";

export const language = chooseLanguage(new URLSearchParams(location.search).get("lang"), navigator.languages);
const isFrench = language === "fr";
export const { say } = createTranslator<typeof ENGLISH>(language, isFrench ? FRENCH : ENGLISH);
export const format = createFormat(language);

/** The rail answers in English; problems that a visitor can cause have a French text. */
export function problemText(error: unknown): string {
  if (!(error instanceof ProblemError)) return say("away");
  const { request_id: request } = error.body;
  const detail = (isFrench ? FRENCH_PROBLEMS[error.code] : undefined) ?? error.message;
  const issues = error.errors.map(({ message }) => message);
  return [detail, ...issues, ...(request === undefined ? [] : [`(${request})`])].join(" ");
}
