/**
 * Suggestions from a table of entries, in the steps of the memory engine. With an edit, `word_similarity` of pg_trgm finds
 * the texts, so corrected suggestions differ.
 */
import type { ItemType } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import { isCorrectable } from "../../domain/analyse.ts";
import { readTyped, type Suggestion, type SuggestQuery, type TypedText } from "../../domain/suggestions.ts";
import { COMMUNE, TAG, titleKind, type Suggestions } from "../../domain/index/build-suggestions.ts";
import { ITEM_TYPES_BY_BYTES, TYPE_NUMBERS } from "../../domain/index/index-views.ts";
import { stringAt } from "../../domain/index/string-table.ts";
import { itemOf } from "../published-versions.ts";
import type { SearchedIndex } from "./find-page.ts";
import { readBodies } from "./read-items.ts";
import { NOT_WHOLE, type Db, type Fragment, type IndexTables } from "./index-tables.ts";

const ROWS = 10_000;
/** Sorts after every letter. */
const LAST_CHARACTER = "\u{10ffff}";

/** @param ids of the items by rank. */
export async function insertSuggestions(
  db: Db,
  { suggestion }: IndexTables,
  { suggestions, ids }: { readonly suggestions: Suggestions; readonly ids: Uint32Array },
): Promise<void> {
  const { texts, kinds, counts, targets, numbers, names } = suggestions;
  for (let from = 0; from < kinds.length; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, kinds.length - from) }, (_, offset) => {
      const position = from + offset;
      const [kind, target] = [kinds[position], targets[position]];
      const common = { number: numbers[position], text: stringAt(texts, position), kind, count: counts[position] };
      if (kind !== COMMUNE && kind !== TAG) return { ...common, item: ids[target] };
      const { label, slug, perType } = names[target];
      return { ...common, label, slug, per_type: perType };
    });
    await sql`insert into ${suggestion}
      select number, text, kind, count, item, label, slug, per_type from json_to_recordset(${JSON.stringify(rows)}::json)
        as rows (number integer, text text, kind smallint, count integer, item integer, label text, slug text,
          per_type integer[])`.execute(db);
  }
}

interface Entry {
  readonly number: number;
  readonly kind: number;
  readonly count: number;
  readonly item: number | null;
  readonly label: string | null;
  readonly slug: string | null;
  readonly per_type: readonly number[] | null;
}

export async function findSuggestions(
  index: SearchedIndex,
  version: number,
  { text, types, limit }: SuggestQuery,
): Promise<Suggestion[]> {
  const { db, tables } = index;
  const found = new Map<number, Entry>();
  const readings = readTyped(text);
  const numbers = types.map((type) => TYPE_NUMBERS.get(type) ?? 0);
  const ofTypes = numbers.length === 0 ? sql`true` : typeCondition(numbers);
  for (const step of [equalText, beginningText, beginningWords, beginningLetters, similarWords]) {
    const conditions = readings.flatMap((typed) => step(typed) ?? []);
    if (conditions.length === 0) continue;
    const { rows } = await sql<Entry>`
      select number, kind, count, item, label, slug, per_type from ${tables.suggestion}
       where (${sql.join(conditions, sql` or `)}) and ${ofTypes}
       order by number limit ${limit + found.size}`.execute(db);
    for (const row of rows) if (found.size < limit && !found.has(row.number)) found.set(row.number, row);
    if (found.size >= limit) break;
  }
  const entries = [...found.values()];
  const titles = await readTitles(index, version, entries);
  return entries.map((entry) => toSuggestion(entry, { types, titles }));
}

function typeCondition(numbers: readonly number[]): Fragment {
  const counted = numbers.map((number) => sql`per_type[${sql.lit(number)}] > 0`);
  return sql`(kind = any(${numbers.map(titleKind)}::smallint[]) or ${sql.join(counted, sql` or `)})`;
}

function equalText({ whole }: TypedText): Fragment {
  return sql`text = ${whole}`;
}

function beginningText({ whole }: TypedText): Fragment {
  return sql`text >= ${whole} and text < ${whole + LAST_CHARACTER}`;
}

function beginningWords({ words }: TypedText): Fragment {
  return sql`(${sql.join(
    words.map((word) => sql`(' ' || text) like ${`% ${word}%`}`),
    sql` and `,
  )})`;
}

function beginningLetters({ whole }: TypedText): Fragment {
  const letters = whole.replaceAll(" ", "");
  return sql`(replace(text, ' ', '') >= ${letters} and replace(text, ' ', '') < ${letters + LAST_CHARACTER})`;
}

function similarWords({ whole, words }: TypedText): Fragment | null {
  return words.some(isCorrectable) ? sql`text operator(public.%>) ${whole}` : null;
}

interface Title {
  readonly title: string;
  readonly slug: string;
}

async function readTitles(
  index: SearchedIndex,
  version: number,
  entries: readonly Entry[],
): Promise<ReadonlyMap<number, Title>> {
  const ids = entries.flatMap(({ item }) => item ?? []);
  const bodies = await readBodies(index, version, ids);
  return new Map(Array.from(bodies, ([id, body]) => [id, itemOf(body)]));
}

function toSuggestion(
  { kind, count, item, label, slug, per_type }: Entry,
  { types, titles }: { readonly types: readonly ItemType[]; readonly titles: ReadonlyMap<number, Title> },
): Suggestion {
  if (item === null) {
    const perType = (type: ItemType) => per_type?.[(TYPE_NUMBERS.get(type) ?? 1) - 1] ?? 0;
    const items = types.length === 0 ? count : types.reduce((sum, type) => sum + perType(type), 0);
    const text = label ?? "";
    return kind === TAG
      ? { kind: "tag", text, slug: slug ?? "", count: items }
      : { kind: "commune", text, count: items };
  }
  const found = titles.get(item);
  if (found === undefined) throw new Error(NOT_WHOLE);
  const type = ITEM_TYPES_BY_BYTES[kind - titleKind(1)];
  const title = { kind: "title", text: found.title, type } as const;
  return count === 1 ? { ...title, slug: found.slug } : { ...title, count };
}
