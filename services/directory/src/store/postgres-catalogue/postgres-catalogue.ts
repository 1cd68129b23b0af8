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
import { chordTo, conditionsOf, sortKey, type Conditions } from "./conditions.ts";
import { countFacets } from "./count-facets.ts";
import { indexTables, NOT_WHOLE, type Fragment, type IndexVersion } from "./index-tables.ts";
import { readWords, type WordsQuery } from "./read-words.ts";

/** Ranking reads every match: 20,000 take a tenth of a second. Above, the order of relevance is that of titles. */
const RANKED_MAX = 20_000;
/** Walking an index to a page costs less than sorting when the page ends in the first tenth of the matches. */
const FEW = 10;
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

interface Matching {
  readonly words: WordsQuery | null;
  readonly conditions: Conditions;
  readonly total: number;
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

  async function match(filters: Filters): Promise<Matching> {
    const words = await wordsOf(filters);
    const conditions = conditionsOf(filters, words);
    return { words, conditions, total: await countMatches(conditions) };
  }

  async function countMatches({ where, isEverything }: Conditions): Promise<number> {
    if (isEverything) return index.items;
    const { rows } = await sql<{ total: number }>`
      select count(*)::integer as total from ${tables.entry} where ${where}`.execute(db);
    return rows[0].total;
  }

  async function findPage(query: NormalQuery, { words, conditions, total }: Matching): Promise<Match[]> {
    const { near, limit, offset } = query;
    if (limit === 0 || offset >= total) return [];
    const sort = query.sort === "relevance" && total > RANKED_MAX ? "title" : query.sort;
    const isIndexed = sort === "title" || sort === "updated_at" || sort === "-updated_at";
    if (isIndexed && near === null && (conditions.isOfColumns || (offset + limit) * FEW <= total))
      return walkIndex({ sort, limit, offset }, conditions.where);
    const chord = near === null ? sql`null::float8` : chordTo(near);
    // Chords are binary, because the number of digits in text is a server setting.
    const { rows } = await sql<{ id: number; chord: Uint8Array | null }>`
      with found as materialized (
        select id, ${sortKey({ sort, near }, words)} as key, ${chord} as chord from ${tables.entry} where ${conditions.where})
      select id, float8send(chord) as chord from found order by key, id limit ${limit} offset ${offset}`.execute(db);
    return rows.map((row) => ({ id: row.id, distanceKm: row.chord && distanceKm(doubleOf(row.chord)) }));
  }

  /** Reads in the order of an index and stops at the end of the page: cheap when many items match. */
  async function walkIndex(
    { sort, limit, offset }: Pick<NormalQuery, "sort" | "limit" | "offset">,
    where: Fragment,
  ): Promise<Match[]> {
    const order = sort === "updated_at" ? sql`updated, id` : sort === "-updated_at" ? sql`updated desc, id` : sql`id`;
    const { rows } = await sql<{ id: number }>`
      select id from ${tables.entry} where ${where} order by ${order} limit ${limit} offset ${offset}`.execute(db);
    return rows.map(({ id }) => ({ id, distanceKm: null }));
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
      const matching = await match(query);
      const unknownTags = [...new Set([...query.tags.flat(), ...query.excludedTags])].filter(
        (tag) => !knownTags.has(tag),
      );
      return {
        total: matching.total,
        hits: await readHits(await findPage(query, matching), query.variant),
        corrected: matching.words?.corrected ?? null,
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
      const matching = await match(query);
      const end = Math.min(query.offset + query.limit, matching.total);
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const found = await findPage({ ...query, offset, limit: Math.min(STREAM_WINDOW, end - offset) }, matching);
        for (let at = 0; at < found.length; at += STREAM_READS)
          yield* await readHits(found.slice(at, at + STREAM_READS), query.variant);
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
