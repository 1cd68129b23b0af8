/**
 * The paraphrases: groups of wordings in English and French with the same intent, from which the trunk learns
 * synonyms. Similar intents are separate groups. Slots are filled deterministically.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expandTemplate, LANGUAGES, type Language } from "./phrasings.ts";

export interface Paraphrase {
  readonly area: string;
  /** Unique name of the group: its area and index. */
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
/** Two texts suffice to distinguish the slot from the sentence; more would give one wording too much weight. */
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

/** Sorts the files by name, so that the result does not depend on the file system. */
export function readParaphraseFiles(): readonly ParaphraseFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ParaphraseFile);
}
