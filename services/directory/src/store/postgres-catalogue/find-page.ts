/** Finds the ids of a page, and how many items match. */
import { sql } from "@triptych/storage";
import type { Filters, NormalQuery } from "../../domain/catalogue.ts";
import { distanceKm } from "../../domain/geo.ts";
import { chordTo, conditionsOf, sortKey, type Conditions } from "./conditions.ts";
import type { Db, Fragment, IndexTables } from "./index-tables.ts";
import { planText, type CountMatches, type TextPlan } from "../../domain/search/text-plan.ts";
import { relaxText } from "../../domain/search/relax-text.ts";
import { wordsQueryOf, type StoredVocabulary, type WordsQuery } from "./read-words.ts";

/** Ranking reads every match: 20,000 take a tenth of a second. Above, the order of relevance is that of titles. */
const RANKED_MAX = 20_000;
/** Walking an index to a page costs less than sorting when the page ends in the first tenth of the matches. */
const FEW = 10;

export interface SearchedIndex {
  readonly db: Db;
  readonly tables: IndexTables;
  readonly items: number;
  readonly vocabulary: () => Promise<StoredVocabulary>;
}

export interface Matching {
  readonly plan: TextPlan | null;
  readonly words: WordsQuery | null;
  readonly conditions: Conditions;
  readonly total: number;
}

interface PlannedMatching extends Omit<Matching, "total"> {
  count(): Promise<number>;
}

export interface Match {
  readonly id: number;
  readonly distanceKm: number | null;
}

export async function countMatches(index: SearchedIndex, filters: Filters): Promise<Matching> {
  const matching = await planMatching(index, filters);
  return { ...matching, total: await matching.count() };
}

/** Without a text there is nothing to count. */
export async function planMatching(index: SearchedIndex, filters: Filters): Promise<PlannedMatching> {
  const { text, correct, strict, synonyms } = filters;
  if (text === null) {
    const conditions = conditionsOf(filters, null);
    return { plan: null, words: null, conditions, count: () => countIn(index, conditions) };
  }
  const vocabulary = await index.vocabulary();
  const { lookup } = vocabulary;
  // Relaxing has already counted the plan that it returns.
  const totals = new Map<string | null, Promise<number>>();
  const matchingOf = (plan: TextPlan): PlannedMatching => {
    const words = wordsQueryOf(plan, vocabulary);
    const conditions = conditionsOf(filters, words);
    const count = () => {
      const total = totals.get(words.match) ?? countIn(index, conditions);
      totals.set(words.match, total);
      return total;
    };
    return { plan, words, conditions, count };
  };
  const count: CountMatches = (plan) => matchingOf(plan).count();
  const plan = await planText(text, { correct, synonyms }, { lookup, count });
  if (strict || plan.groups.length === 0) return matchingOf(plan);
  return matchingOf((await relaxText(plan, { correct, found: await count(plan), lookup, count })) ?? plan);
}

async function countIn({ db, tables, items }: SearchedIndex, { isEverything, where }: Conditions): Promise<number> {
  if (isEverything) return items;
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from ${tables.entry} where ${where}`.execute(db);
  return rows[0].total;
}

export async function findPage(
  { db, tables }: SearchedIndex,
  query: NormalQuery,
  { words, conditions, total }: Matching,
): Promise<Match[]> {
  const { near, limit, offset } = query;
  if (limit === 0 || offset >= total) return [];
  const sort = query.sort === "relevance" && total > RANKED_MAX ? "title" : query.sort;
  const isIndexed = near === null && sort !== "relevance" && sort !== "distance";
  if (isIndexed && (conditions.isOfColumns || (offset + limit) * FEW <= total)) {
    // Reads in the order of an index and stops at the end of the page.
    const { rows } = await sql<{ id: number }>`
      select id from ${tables.entry} where ${conditions.where} order by ${ORDERS[sort]} limit ${limit} offset ${offset}`.execute(
      db,
    );
    return rows.map(({ id }) => ({ id, distanceKm: null }));
  }
  const chord = near === null ? sql`null::float8` : chordTo(near);
  // Chords are binary, because the number of digits in text is a server setting.
  const { rows } = await sql<{ id: number; chord: Uint8Array | null }>`
    with found as materialized (
      select id, ${sortKey({ sort, near }, words)} as key, ${chord} as chord from ${tables.entry} where ${conditions.where})
    select id, float8send(chord) as chord from found order by key, id limit ${limit} offset ${offset}`.execute(db);
  return rows.map((row) => ({ id: row.id, distanceKm: row.chord && distanceKm(doubleOf(row.chord)) }));
}

const ORDERS: Readonly<Record<"title" | "updated_at" | "-updated_at", Fragment>> = {
  title: sql`id`,
  updated_at: sql`updated, id`,
  "-updated_at": sql`updated desc, id`,
};

function doubleOf({ buffer, byteOffset, length }: Uint8Array): number {
  return new DataView(buffer, byteOffset, length).getFloat64(0);
}
