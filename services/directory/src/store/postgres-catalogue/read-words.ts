/**
 * Reads a free text against the vocabulary in the store, by the same rules as the memory engine: a word that exists or begins one
 * is never replaced, a mistyped one by the most frequent word one edit away, a word said twice counts once, and the last one may
 * be unfinished.
 */
import { sql } from "@triptych/storage";
import { analyseQuery, isCorrectable, termOf, type Word } from "../../domain/analyse.ts";
import type { Db, IndexTables } from "./index-tables.ts";
import { oneEditAway } from "./one-edit-away.ts";

export interface WantedWord {
  /** Number of the exact term, or null when no item has it. */
  readonly exact: number | null;
  /** Terms of the words that begin with an unfinished word; null for a finished one. */
  readonly longer: readonly number[] | null;
  /** Postings behind them, at most. */
  readonly size: number;
}

export interface ReadWords {
  readonly words: readonly WantedWord[];
  readonly corrected: Readonly<Record<string, string>> | null;
}

export interface Vocabulary {
  readonly db: Db;
  readonly tables: IndexTables;
  readonly alphabet: readonly string[];
}

interface Term {
  readonly number: number;
  readonly documents: number;
}

export async function readWords(
  vocabulary: Vocabulary,
  text: string,
  options: { readonly correct: boolean },
): Promise<ReadWords> {
  const { words, unfinished } = analyseQuery(text);
  const corrected: Record<string, string> = {};
  const wanted = new Map<string, WantedWord>();
  const known = await findTerms(
    vocabulary,
    words.map(({ term }) => term),
  );

  for (const [position, word] of words.entries()) {
    let { surface, term } = word;
    const instead = options.correct && !known.has(term) ? await correction(vocabulary, word) : null;
    if (instead !== null) {
      corrected[surface] = instead;
      surface = instead;
      term = termOf(instead);
    }
    if (wanted.has(term)) continue;
    const exact = known.get(term) ?? (instead === null ? undefined : (await findTerms(vocabulary, [term])).get(term));
    const longer = unfinished && position === words.length - 1 ? await termsBehind(vocabulary, surface) : null;
    wanted.set(term, {
      exact: exact?.number ?? null,
      longer: longer?.map(({ number }) => number) ?? null,
      size: (longer ?? []).reduce((sum, { documents }) => sum + documents, exact?.documents ?? 0),
    });
  }
  return { words: [...wanted.values()], corrected: Object.keys(corrected).length > 0 ? corrected : null };
}

async function findTerms({ db, tables }: Vocabulary, terms: readonly string[]): Promise<Map<string, Term>> {
  const { rows } = await sql<
    Term & { term: string }
  >`select number, term, documents from ${tables.word} where term = any(${[...terms]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.term, row]));
}

/** The word to search instead of one that is in no item, or null. */
async function correction(vocabulary: Vocabulary, { surface, stop }: Word): Promise<string | null> {
  if (stop || !isCorrectable(surface)) return null;
  const { db, tables, alphabet } = vocabulary;
  const { rows: begun } = await sql`select 1 from ${tables.surface} where ${beginsWith(surface)} limit 1`.execute(db);
  if (begun.length > 0) return null;
  const { rows } = await sql<{ surface: string }>`select surface from ${tables.surface}
    where surface = any(${[...oneEditAway(surface, alphabet)]}::text[]) order by documents desc, surface limit 1`.execute(
    db,
  );
  return rows[0]?.surface ?? null;
}

async function termsBehind({ db, tables }: Vocabulary, surface: string): Promise<readonly Term[]> {
  const { rows } = await sql<Term>`select word.number, word.documents from ${tables.word} as word
    where word.number in (select word from ${tables.surface} where ${beginsWith(surface)})`.execute(db);
  return rows;
}

/** As a range, which an index in byte order answers; the last code point stands behind every letter. */
function beginsWith(text: string) {
  return sql`surface >= ${text} and surface < ${`${text}\u{10FFFF}`}`;
}
