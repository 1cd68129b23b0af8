/** Reads a query's text: corrects and completes words from the vocabulary of the version. */
import { sql } from "@triptych/storage";
import { analyseQuery, isCorrectable, termOf } from "../../domain/analyse.ts";
import type { Db, IndexTables } from "./index-tables.ts";

/** Longer than the words of any query, whose text has 200 characters, and than their corrections. */
const LETTERS_MAX = 202;
/** Sorts after every letter. */
const LAST_CHARACTER = "\u{10ffff}";

export interface WordsQuery {
  /** Text of a tsquery that matches; null when the text has no words. */
  readonly match: string | null;
  /** Text of a tsquery for ranking: completions of an unfinished word only as written. */
  readonly rank: string;
  readonly corrected: Readonly<Record<string, string>> | null;
}

/** Lexemes and index rows have a maximum size. A cut word matches the same queries as the whole one. */
export function storedWord(word: string): string {
  if (word.length <= LETTERS_MAX) return word;
  return Array.from(word).slice(0, LETTERS_MAX).join("");
}

export async function readWords(
  db: Db,
  { word }: Pick<IndexTables, "word">,
  { text, correct }: { readonly text: string; readonly correct: boolean },
): Promise<WordsQuery> {
  const { tokens, unfinished } = analyseQuery(text);
  const corrected: Record<string, string> = {};
  const terms = new Map<string, { readonly any: readonly string[]; readonly prefix: string | null }>();
  for (const [position, token] of tokens.entries()) {
    let { surface, term } = token;
    if (correct && !token.stop && isCorrectable(surface)) {
      const correction = await correctionOf(surface, term);
      if (correction !== null) {
        corrected[surface] = correction;
        [surface, term] = [correction, termOf(correction)];
      }
    }
    if (terms.has(term)) continue;
    const isPrefix = unfinished && position === tokens.length - 1;
    const any = isPrefix ? [term, ...(await completionsOf(surface))] : [term];
    terms.set(term, { any: [...new Set(any)], prefix: isPrefix ? surface : null });
  }
  const groups = [...terms];
  return {
    match: groups.length === 0 ? null : groups.map(([, { any }]) => `(${any.map(quoted).join(" | ")})`).join(" & "),
    rank: groups
      .map(([term, { prefix }]) => (prefix === null ? quoted(term) : `(${quoted(term)} | ${quoted(prefix)}:*)`))
      .join(" & "),
    corrected: Object.keys(corrected).length > 0 ? corrected : null,
  };

  /** The terms of all words that begin with this one. */
  async function completionsOf(surface: string): Promise<string[]> {
    const { rows } = await sql<{ term: string }>`
      select distinct term from ${word} where ${beginsWith(surface)}`.execute(db);
    return rows.map((row) => row.term);
  }

  /** The most frequent word one edit away, if the word is neither in an item nor the prefix of a word. */
  async function correctionOf(surface: string, term: string): Promise<string | null> {
    const { rows } = await sql<{ surface: string }>`
      select word.surface from unnest(${patternsOf(surface)}::text[]) as pattern
        join ${word} as word on word.surface like pattern
       where not exists (select 1 from ${word} where term = ${term})
         and not exists (select 1 from ${word} where ${beginsWith(surface)})
       order by word.documents desc, word.surface limit 1`.execute(db);
    return rows[0]?.surface ?? null;
  }
}

function beginsWith(surface: string) {
  return sql`surface >= ${surface} and surface < ${surface + LAST_CHARACTER}`;
}

/** Patterns of all words one edit away, which the trigram index finds. Words contain no wildcards. */
function patternsOf(surface: string): string[] {
  const letters = Array.from(surface);
  const patterns = new Set<string>();
  for (let at = 0; at <= letters.length; at++) {
    const head = letters.slice(0, at).join("");
    const [here, next] = [letters[at], letters[at + 1]];
    patterns.add(`${head}_${letters.slice(at).join("")}`);
    if (here === undefined) continue;
    const rest = letters.slice(at + 1).join("");
    patterns.add(head + rest).add(`${head}_${rest}`);
    if (next !== undefined) patterns.add(head + next + here + letters.slice(at + 2).join(""));
  }
  return [...patterns];
}

function quoted(lexeme: string): string {
  return `'${lexeme}'`;
}
