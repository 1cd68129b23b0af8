/**
 * Background texts: requests that belong to no particular bot, in many languages and domains. A head that is trained
 * without out-of-scope examples is calibrated against them.
 */
import { readFileSync } from "node:fs";

export interface BackgroundText {
  readonly text: string;
  /** BCP 47; `und` for noise such as order numbers and keyboard mash. */
  readonly lang: string;
}

const FOLDER = new URL("../../background/", import.meta.url);
/** Headings name topics in files of one language, and languages in `other.txt`. */
const HEADING = "# ";

export function loadBackground(): readonly BackgroundText[] {
  return [...readLines("en.txt", "en"), ...readLines("fr.txt", "fr"), ...readLines("other.txt", null)];
}

function readLines(file: string, only: string | null): BackgroundText[] {
  const texts: BackgroundText[] = [];
  let lang = only ?? "und";
  for (const line of readFileSync(new URL(file, FOLDER), "utf8").split("\n")) {
    if (line.startsWith(HEADING)) lang = only ?? line.slice(HEADING.length);
    else if (line !== "") texts.push({ text: line, lang });
  }
  return texts;
}
