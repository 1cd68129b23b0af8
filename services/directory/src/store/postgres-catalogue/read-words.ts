/** Reads a query's text: corrects and completes words from the vocabulary of the version. */
import { sql } from "@triptych/storage";
import { analyseQuery, isCorrectable, termOf } from "../../domain/analyse.ts";
import type { Db, IndexTables } from "./index-tables.ts";

/** Longer than the words of any query, whose text has 200 characters, and than their corrections. */
const LETTERS_MAX = 202;
/** Sorts after every letter. */
const LAST_CHARACTER = "\u{10ffff}";

/** Before the words of an item as written, which an unfinished word completes; its terms have no mark. */
export const WRITTEN = ":";

export interface WordsQuery {
  /** Text of a tsquery that matches; null when the text has no words. */
  readonly match: string | null;
  /** Text of a tsquery for ranking: an unfinished word counts where a term begins with it. */
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
  const groups = new Map<string, { readonly match: string; readonly rank: string }>();
  for (const [position, token] of tokens.entries()) {
    let { surface, term } = token;
    if (correct && !token.stop && isCorrectable(surface)) {
      const correction = await correctionOf(surface, term);
      if (correction !== null) {
        corrected[surface] = correction;
        [surface, term] = [correction, termOf(correction)];
      }
    }
    if (groups.has(term)) continue;
    const isPrefix = unfinished && position === tokens.length - 1;
    groups.set(term, isPrefix ? await unfinishedWord(surface, term) : { match: quoted(term), rank: quoted(term) });
  }
  return {
    match: groups.size === 0 ? null : Array.from(groups.values(), ({ match }) => `(${match})`).join(" & "),
    rank: Array.from(groups.values(), ({ rank }) => `(${rank})`).join(" & "),
    corrected: Object.keys(corrected).length > 0 ? corrected : null,
  };

  /**
   * Stands for the terms of all words that begin with it. Items with such a word are found by the word as written;
   * items with another form of its term need the term, which few do.
   */
  async function unfinishedWord(surface: string, term: string) {
    const { rows } = await sql<{ term: string }>`
      select distinct word.term from ${word} as word where ${beginsWith("word.surface", surface)}
        and exists (select 1 from ${word} as other
          where other.term = word.term and not (${beginsWith("other.surface", surface)}))`.execute(db);
    const begun = (mark: string) => `${quoted(mark + surface)}:*`;
    const terms = new Set([term, ...rows.map((row) => row.term)]);
    return {
      match: [begun(WRITTEN), ...Array.from(terms, quoted)].join(" | "),
      rank: `${quoted(term)} | ${begun("")}`,
    };
  }

  /** The most frequent word one edit away, if the word is neither in an item nor the prefix of a word. */
  async function correctionOf(surface: string, term: string): Promise<string | null> {
    const { rows } = await sql<{ surface: string }>`
      select word.surface from unnest(${patternsOf(surface)}::text[]) as pattern
        join ${word} as word on word.surface like pattern
       where not exists (select 1 from ${word} where term = ${term})
         and not exists (select 1 from ${word} as longer where ${beginsWith("longer.surface", surface)})
       order by word.documents desc, word.surface limit 1`.execute(db);
    return rows[0]?.surface ?? null;
  }
}

function beginsWith(column: string, surface: string) {
  return sql`${sql.ref(column)} >= ${surface} and ${sql.ref(column)} < ${surface + LAST_CHARACTER}`;
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
