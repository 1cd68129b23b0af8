/**
 * The thesaurus: concepts of everyday service language with their expressions in English and French. The trunk learns
 * synonyms from it before seeing them in sentences; related terms and opposites are separate concepts.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface Expression {
  readonly field: string;
  /** Unique name of the concept: its field and index. */
  readonly concept: string;
  readonly language: ThesaurusLanguage;
  readonly text: string;
}

export interface ThesaurusFile {
  readonly field: string;
  readonly concepts: readonly Readonly<Record<ThesaurusLanguage, readonly string[]>>[];
}

type ThesaurusLanguage = "en" | "fr";

const FOLDER = new URL("../thesaurus/", import.meta.url);
const LANGUAGES: readonly ThesaurusLanguage[] = ["en", "fr"];

export function readThesaurus(): readonly Expression[] {
  return readThesaurusFiles().flatMap(({ field, concepts }) =>
    concepts.flatMap((expressions, index) =>
      LANGUAGES.flatMap((language) =>
        expressions[language].map((text) => ({ field, concept: `${field} ${index}`, language, text })),
      ),
    ),
  );
}

/** Sorts the files by name, so that the result does not depend on the file system. */
export function readThesaurusFiles(): readonly ThesaurusFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ThesaurusFile);
}
