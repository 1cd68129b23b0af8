/** The vocabulary of a version, and a query's plan as text of a tsquery. */
import { sql } from "@triptych/storage";
import {
  buildStringTable,
  compareBytes,
  positionOf,
  prefixRange,
  type StringTable,
} from "../../domain/index/string-table.ts";
import { createWordLookup, type Vocabulary } from "../../domain/index/word-lookup.ts";
import type { TextPlan } from "../../domain/search/text-plan.ts";
import type { WordGroup, WordLookup } from "../../domain/search/word-groups.ts";
import type { Db, IndexTables } from "./index-tables.ts";

/** Longer than the words of any query, whose text has 200 characters, and than their corrections. */
const LETTERS_MAX = 202;
const ROWS = 100_000;

/** Precedes the words of an item as written, which an unfinished word completes. Terms have no such prefix. */
export const WRITTEN = ":";
/** Precedes the terms of stop words, which are not words of the vocabulary: see `Token.term`. */
export const STOP = "_";

export interface WordsQuery {
  /** Text of a tsquery that matches; null when the text has no words. */
  readonly match: string | null;
  /** Text of a tsquery for ranking: an unfinished word counts where a term begins with it. */
  readonly rank: string | null;
}

/** Read with the first query text of a version: about 40 bytes a word. */
export interface StoredVocabulary {
  readonly lookup: WordLookup;
  /** Terms of words with this prefix that also have other words. */
  sharedTerms(prefix: string): string[];
}

/** Lexemes and index rows have a maximum size. A cut word matches the same queries as the whole one. */
export function storedWord(word: string): string {
  if (word.length <= LETTERS_MAX) return word;
  return Array.from(word).slice(0, LETTERS_MAX).join("");
}

/** A row of the table `word`. */
export interface WordRow {
  readonly surface: string;
  readonly term: string;
  readonly documents: number;
  readonly term_documents: number;
  readonly structured: number;
}

export async function readVocabulary(
  db: Db,
  { word, commune }: Pick<IndexTables, "word" | "commune">,
  items: number,
): Promise<StoredVocabulary> {
  const rows: WordRow[] = [];
  for (let last = ""; ;) {
    const read = await sql<WordRow>`select surface, term, documents, term_documents, structured from ${word}
      where surface > ${last} order by surface limit ${ROWS}`.execute(db);
    rows.push(...read.rows);
    if (read.rows.length < ROWS) break;
    last = rows[rows.length - 1].surface;
  }
  const byTerm = [...new Map(rows.map((row) => [row.term, row])).values()].sort((a, b) => compareBytes(a.term, b.term));
  const terms = byTerm.map(({ term }) => term);
  const numbers = new Map(terms.map((term, number) => [term, number]));
  const communes = await sql<{ slug: string }>`select slug from ${commune} order by slug`.execute(db);
  const written = rows.filter(({ surface }) => !surface.startsWith(STOP));
  const vocabulary: Vocabulary = {
    terms: buildStringTable(terms),
    documents: Uint32Array.from(byTerm, (row) => row.term_documents),
    structured: Uint32Array.from(byTerm, (row) => row.structured),
    surfaces: buildStringTable(written.map(({ surface }) => surface)),
    surfaceDocuments: Uint32Array.from(written, ({ documents }) => documents),
    communes: buildStringTable(communes.rows.map(({ slug }) => slug)),
  };
  const surfaceTerms = Uint32Array.from(written, ({ term }) => numbers.get(term) ?? 0);
  return {
    lookup: createWordLookup(vocabulary, items, (term) => positionOf(vocabulary.terms, term)),
    sharedTerms: sharedTermsOf(vocabulary.surfaces, surfaceTerms, terms),
  };
}

function sharedTermsOf(surfaces: StringTable, surfaceTerms: Uint32Array, terms: readonly string[]) {
  const forms = new Uint32Array(terms.length);
  for (const term of surfaceTerms) forms[term]++;
  return (prefix: string): string[] => {
    const { from, to } = prefixRange(surfaces, prefix);
    const begun = new Map<number, number>();
    for (const term of surfaceTerms.subarray(from, to)) begun.set(term, (begun.get(term) ?? 0) + 1);
    return [...begun].filter(([term, count]) => count < forms[term]).map(([term]) => terms[term]);
  };
}

export function wordsQueryOf(plan: TextPlan, { sharedTerms }: StoredVocabulary): WordsQuery {
  const { groups, phrases, excluded } = plan;
  const phrase = (terms: readonly string[]) => terms.map((term) => `${quoted(term)}:AB`).join(" <-> ");
  const matches = [
    ...groups.map((group) => matchOf(group, sharedTerms)),
    ...phrases.map(phrase),
    ...excluded.map((terms) => `!(${terms.length === 1 ? quoted(terms[0]) : phrase(terms)})`),
  ];
  return {
    match: matches.length === 0 ? null : matches.map((part) => `(${part})`).join(" & "),
    rank: groups.length === 0 ? null : groups.map((group) => `(${rankOf(group)})`).join(" & "),
  };
}

/**
 * An unfinished word stands for the terms of all words that begin with it. Items with such a word are found by the word
 * as written; items with another form of its term need the term, which few do.
 */
function matchOf({ alternatives, prefix }: WordGroup, sharedTerms: (prefix: string) => string[]): string {
  const parts = alternatives.map((terms) => `(${terms.map(quoted).join(" & ")})`);
  if (prefix !== null) parts.push(`${quoted(WRITTEN + prefix)}:*`, ...sharedTerms(prefix).map(quoted));
  return parts.join(" | ");
}

function rankOf({ alternatives, prefix }: WordGroup): string {
  const parts = alternatives.map((terms) => `(${terms.map(quoted).join(" & ")})`);
  if (prefix !== null) parts.push(`${quoted(prefix)}:*`);
  return parts.join(" | ");
}

function quoted(lexeme: string): string {
  return `'${lexeme}'`;
}
