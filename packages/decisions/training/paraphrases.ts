/**
 * The team's paraphrases: groups of wordings, English and French together, that want one thing. The trunk learns from them which
 * words mean the same; a near neighbour is another group. Slots are filled the same way every time.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expandTemplate, type Language } from "./phrasings.ts";

export interface Paraphrase {
  readonly area: string;
  /** Names the group in the whole corpus: its area and its place there. */
  readonly group: string;
  readonly language: Language;
  readonly text: string;
}

export interface ParaphraseFile {
  readonly area: string;
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly groups: readonly Readonly<Record<Language, readonly string[]>>[];
}

const FOLDER = new URL("../paraphrases/", import.meta.url);
const LANGUAGES: readonly Language[] = ["en", "fr"];
/** Two are enough to tell the slot from the sentence; more would make one wording count as many. */
const TEXTS_OF_TEMPLATE = 2;

export function readParaphrases(): readonly Paraphrase[] {
  return readParaphraseFiles().flatMap(({ area, slots, groups }) =>
    groups.flatMap((wordings, index) =>
      LANGUAGES.flatMap((language) =>
        wordings[language]
          .flatMap((template) => expandTemplate(template, slots, TEXTS_OF_TEMPLATE))
          .map((text) => ({ area, group: `${area} ${index}`, language, text })),
      ),
    ),
  );
}

/** The files as they are written, by name: the order does not depend on the file system. */
export function readParaphraseFiles(): readonly ParaphraseFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ParaphraseFile);
}
