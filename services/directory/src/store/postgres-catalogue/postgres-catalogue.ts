/**
 * The PostgreSQL engine: sets, totals, facets and distances equal those of the memory engine. The order of relevance is
 * PostgreSQL's own. Tables of a version are immutable, so the statements of one query need no transaction.
 */
import type { ItemType } from "@triptych/contracts";
import { sql, type Database } from "@triptych/storage";
import type { Catalogue, CatalogueMeta, Filters, Hit, NormalQuery, Variant, Version } from "../../domain/catalogue.ts";
import { distanceKm } from "../../domain/geo.ts";
import { singleEdits } from "../../domain/index/correction.ts";
import { itemTextOf } from "../../domain/index/item-json.ts";
import { nearestSlugs } from "../../domain/index/nearest-slugs.ts";
import { buildStringTable, compareBytes } from "../../domain/index/string-table.ts";
import { itemOf } from "../published-versions.ts";
import { visibleIn } from "../intervals.ts";
import type { DirectoryTables } from "../tables.ts";
import { chordTo, conditionsOf, sortKey } from "./conditions.ts";
import { countFacets } from "./count-facets.ts";
import { indexTables, NOT_WHOLE, type IndexVersion } from "./index-tables.ts";
import { readWords, type WordsQuery } from "./read-words.ts";

/** Ids per search of a stream, and items per statement. */
const STREAM_WINDOW = 20_000;
const STREAM_READS = 200;
/** Alphabetical neighbors on either side that `nearestSlugs` examines. */
const NEIGHBOURS = 32;
const SLUG_ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz0123456789-");

export interface PostgresCatalogueOptions {
  readonly database: Database<DirectoryTables>;
  readonly schema: string;
  readonly version: Version;
  readonly index: IndexVersion;
}

interface Match {
  readonly id: number;
  readonly distanceKm: number | null;
}

export function openPostgresCatalogue({
  database: { db },
  schema,
  version,
  index,
}: PostgresCatalogueOptions): Catalogue {
  const tables = indexTables(schema, version.number);
  // `buildTables` wrote it from a CatalogueMeta.
  const meta = JSON.parse(index.meta) as CatalogueMeta;
  const knownTags = new Set(meta.tags.map(({ slug }) => slug));

  const wordsOf = async ({ text, correct }: Filters): Promise<WordsQuery | null> =>
    text === null ? null : readWords(db, tables, { text, correct });

  async function findPage(query: NormalQuery, words: WordsQuery | null) {
    const conditions = conditionsOf(query, words);
    return conditions.isOfColumns
      ? findByColumns(query, conditions)
      : findAndSort(query, { where: conditions.where, words });
  }

  /** An index has the page's order, so counting is a statement of its own. */
  async function findByColumns(
    { sort, limit, offset }: NormalQuery,
    { where, isEverything }: ReturnType<typeof conditionsOf>,
  ) {
    const counted = isEverything
      ? [{ total: index.items }]
      : (
          await sql<{ total: number }>`select count(*)::integer as total from ${tables.entry} where ${where}`.execute(
            db,
          )
        ).rows;
    const order = sort === "updated_at" ? sql`updated, id` : sort === "-updated_at" ? sql`updated desc, id` : sql`id`;
    const { rows } = await sql<{ id: number }>`
      select id from ${tables.entry} where ${where} order by ${order} limit ${limit} offset ${offset}`.execute(db);
    return { total: counted[0].total, matches: rows.map(({ id }): Match => ({ id, distanceKm: null })) };
  }

  /** Sorting visits every match, so they are counted in the same statement. */
  async function findAndSort(
    query: NormalQuery,
    { where, words }: { readonly where: ReturnType<typeof sql>; readonly words: WordsQuery | null },
  ) {
    const { near, limit, offset } = query;
    const chord = near === null ? sql`null::float8` : chordTo(near);
    // A page without items is still one row, with the total. Chords are binary, because the number of digits in text is
    // a server setting.
    const { rows } = await sql<{ total: number; id: number | null; chord: Uint8Array | null }>`
      with found as materialized (
          select id, ${sortKey(query, words)} as key, ${chord} as chord from ${tables.entry} where ${where}),
        page as (select * from found order by key, id limit ${limit} offset ${offset})
      select (select count(*)::integer from found) as total, id, float8send(chord) as chord
        from (select 1) as always left join page on true order by key, id`.execute(db);
    const matches = rows.flatMap(({ id, chord }): Match[] =>
      id === null ? [] : [{ id, distanceKm: chord === null ? null : distanceKm(doubleOf(chord)) }],
    );
    return { total: rows[0].total, matches };
  }

  /** The stored items of a page, in its order. */
  async function readHits(matches: readonly Match[], variant: Variant): Promise<Hit[]> {
    if (matches.length === 0) return [];
    const { rows } = await sql<{ id: number; type: ItemType; slug: string; body: string }>`
      select entry.id, item.type, item.slug, item.body from ${tables.entry} as entry
        join ${sql.table("item")} as item on item.type = entry.type and item.slug = entry.slug and ${visibleIn(version.number)}
       where entry.id = any(${matches.map(({ id }) => id)}::integer[])`.execute(db);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return matches.map(({ id, distanceKm: distance }) => {
      const row = byId.get(id);
      if (row === undefined) throw new Error(NOT_WHOLE);
      return { type: row.type, slug: row.slug, json: render(row.body, variant), distanceKm: distance };
    });
  }

  return {
    version: () => version,
    meta: async () => meta,

    async search(query) {
      const words = await wordsOf(query);
      const { total, matches } = await findPage(query, words);
      const unknownTags = [...new Set([...query.tags.flat(), ...query.excludedTags])].filter(
        (tag) => !knownTags.has(tag),
      );
      return {
        total,
        hits: await readHits(matches, query.variant),
        corrected: words?.corrected ?? null,
        unknownTags: unknownTags.sort(),
      };
    },

    async get(type, slug, variant) {
      const row = await db
        .selectFrom("item")
        .select("body")
        .where("type", "=", type)
        .where("slug", "=", slug)
        .where(visibleIn(version.number))
        .executeTakeFirst();
      return row === undefined ? null : render(row.body, variant);
    },

    async nearestSlugs(type, slug, count) {
      const target = slug.slice(0, 120).toLowerCase();
      const { entry } = tables;
      const { rows } = await sql<{ slug: string }>`
        select slug from ${entry} where type = ${type} and slug = any(${[...singleEdits(target, SLUG_ALPHABET)]}::text[])
        union (select slug from ${entry} where type = ${type} and slug < ${target} order by slug desc limit ${NEIGHBOURS})
        union (select slug from ${entry} where type = ${type} and slug >= ${target} order by slug limit ${NEIGHBOURS})`.execute(
        db,
      );
      const slugs = rows.map((row) => row.slug).sort(compareBytes);
      return nearestSlugs(buildStringTable(slugs), slug, { within: { from: 0, to: slugs.length }, count });
    },

    async facets(filters, names) {
      return countFacets({ db, tables, meta }, conditionsOf(filters, await wordsOf(filters)), names);
    },

    async *stream(query) {
      const words = await wordsOf(query);
      const end = query.offset + query.limit;
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const limit = Math.min(STREAM_WINDOW, end - offset);
        const { matches } = await findPage({ ...query, offset, limit }, words);
        for (let at = 0; at < matches.length; at += STREAM_READS)
          yield* await readHits(matches.slice(at, at + STREAM_READS), query.variant);
        if (matches.length < limit) return;
      }
    },
  };
}

/** The item's JSON as in a snapshot. */
function render(body: string, variant: Variant): Buffer {
  const { summary, rest } = itemTextOf(itemOf(body), body);
  return Buffer.from(summary + (variant === "all" ? rest : "}"));
}

function doubleOf({ buffer, byteOffset, length }: Uint8Array): number {
  return new DataView(buffer, byteOffset, length).getFloat64(0);
}
