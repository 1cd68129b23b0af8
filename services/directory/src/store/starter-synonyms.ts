/** The French list of synonyms that ships with the program. */
import { readFileSync } from "node:fs";
import { readSynonyms } from "../domain/search/read-synonyms.ts";
import { createSynonyms, type Synonyms } from "../domain/search/synonyms.ts";

let starter: Synonyms | null = null;

export function starterSynonyms(): Synonyms {
  starter ??= createSynonyms(readSynonyms(readFileSync(new URL("synonyms-fr.csv", import.meta.url), "utf8")).groups);
  return starter;
}
