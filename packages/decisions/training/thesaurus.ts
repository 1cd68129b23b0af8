/**
 * The team's thesaurus: concepts of everyday service language, each with the words and short expressions that mean it in English and
 * French. The trunk learns from them which words mean the same before it has met them in a sentence; a neighbour or an opposite is
 * another concept.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface Expression {
  readonly field: string;
  /** Names the concept in the whole thesaurus: its field and its place there. */
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

/** The files as they are written, by name: the order does not depend on the file system. */
export function readThesaurusFiles(): readonly ThesaurusFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ThesaurusFile);
}
