/**
 * Engine (b): a catalogue that lives in PostgreSQL. Every question is answered from one moment of the store (a read-only
 * transaction), with the same words, corrections, impacts, chords and orders as the memory engine; the items' texts come from the
 * version's own rows. Nothing is kept in this process but the statistics.
 */
import { FACETS, type FacetName, type ItemType } from "@triptych/contracts";
import { sql, type Database } from "@triptych/storage";
import type {
  Catalogue,
  CatalogueMeta,
  FacetValue,
  Facets,
  Filters,
  Hit,
  NormalQuery,
  Variant,
  Version,
} from "../../domain/catalogue.ts";
import { distanceKm } from "../../domain/geo.ts";
import { renderItem, TYPE_LABELS } from "../../domain/index/index.ts";
import { nearestSlugs } from "../../domain/index/nearest-slugs.ts";
import { buildStringTable, compareBytes } from "../../domain/index/string-table.ts";
import { DEPARTEMENTS, REGIONS } from "../../domain/reference.ts";
import { visibleIn } from "../intervals.ts";
import type { DirectoryTables } from "../tables.ts";
import { indexTables, type Db, type IndexEdition } from "./index-tables.ts";
import { matching, orderOf, type TagGroup } from "./match.ts";
import { oneEditAway } from "./one-edit-away.ts";
import { readWords } from "./read-words.ts";

const TAGS_AT_MOST = 200;
/** A stream finds this many ids with one query, and reads so many items with one. */
const STREAM_WINDOW = 20_000;
const STREAM_READS = 200;
/** How far `nearestSlugs` looks to either side in the alphabet. */
const NEIGHBOURS = 32;
const SLUG_ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz0123456789-");

export interface PostgresCatalogueOptions {
  readonly database: Database<DirectoryTables>;
  readonly schema: string;
  readonly version: Version;
  readonly index: IndexEdition;
}

interface Found {
  readonly id: number;
  readonly chord: number | null;
}

export function openPostgresCatalogue({ database, schema, version, index }: PostgresCatalogueOptions): Catalogue {
  const tables = indexTables(schema, version.number);
  // `buildTables` wrote it from a CatalogueMeta.
  const meta = JSON.parse(index.meta) as CatalogueMeta;
  const alphabet = Array.from(index.alphabet);

  /** One moment, with a planner that knows that lists inside arrays are long. */
  const atOnce = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    database.snapshot(async (db) => {
      await sql`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true), set_config('work_mem', '64MB', true)`.execute(
        db,
      );
      return work(db);
    });

  const match = async (db: Db, filters: Filters, sort: NormalQuery["sort"]) => {
    const read =
      filters.text === null
        ? { words: [], corrected: null }
        : await readWords({ db, tables, alphabet }, filters.text, filters);
    const { groups, unknownTags } = await readTags(db, filters.tags);
    const rows = matching({ tables, filters, words: read.words, tagGroups: groups, sort });
    return { rows, corrected: read.corrected, unknownTags };
  };

  const readTags = async (db: Db, wanted: Filters["tags"]): Promise<{ groups: TagGroup[]; unknownTags: string[] }> => {
    if (wanted.length === 0) return { groups: [], unknownTags: [] };
    const slugs = [...new Set(wanted.flat())];
    const { rows } = await sql<{
      number: number;
      slug: string;
      documents: number;
    }>`select number, slug, documents from ${tables.tag} where slug = any(${slugs}::text[])`.execute(db);
    const known = new Map(rows.map((row) => [row.slug, row]));
    const groups = wanted.map((anyOf) => {
      const found = [...new Set(anyOf)].flatMap((slug) => known.get(slug) ?? []);
      return {
        numbers: found.map(({ number }) => number),
        size: found.reduce((sum, { documents }) => sum + documents, 0),
      };
    });
    return { groups, unknownTags: slugs.filter((slug) => !known.has(slug)).sort() };
  };

  const page = async (db: Db, query: Omit<NormalQuery, "variant">) => {
    const { rows, corrected, unknownTags } = await match(db, query, query.sort);
    const said = { corrected, unknownTags };
    if (rows === null) return { total: 0, found: [], ...said };
    const { offset, limit } = query;
    const answer = await sql<{ total: number; id: number | null; chord: number | null }>`
      with found as materialized (${rows}),
        page as (select *, row_number() over (order by ${orderOf(query.sort)}) as place from (
          select * from found order by ${orderOf(query.sort)} limit ${limit} offset ${offset}) as window_of)
      select total.total, page.id, page.chord
        from (select count(*) as total from found) as total left join page on true order by page.place`.execute(db);
    const found = answer.rows.flatMap(({ id, chord }) => (id === null ? [] : [{ id, chord }]));
    return { total: answer.rows[0]?.total ?? 0, found, ...said };
  };

  const hits = async (db: Db, found: readonly Found[], variant: Variant): Promise<Hit[]> => {
    if (found.length === 0) return [];
    const { rows } = await sql<{ id: number; type: ItemType; slug: string; body: string }>`
      select doc.id, doc.type, doc.slug, item.body from ${tables.doc} as doc
        join item on item.type = doc.type and item.slug = doc.slug and item.from_version <= ${version.number}
          and (item.to_version is null or item.to_version > ${version.number})
       where doc.id = any(${found.map(({ id }) => id)}::integer[])`.execute(db);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return found.map(({ id, chord }) => {
      const row = byId.get(id);
      if (row === undefined) throw new Error(`version ${version.id} is no longer kept in the store`);
      return {
        type: row.type,
        slug: row.slug,
        json: jsonOf(row.body, variant),
        distanceKm: chord === null ? null : distanceKm(chord),
      };
    });
  };

  return {
    version: () => version,
    meta: async () => meta,

    search: (query) =>
      atOnce(async (db) => {
        const { total, found, corrected, unknownTags } = await page(db, query);
        await sql`select set_config('enable_nestloop', 'on', true)`.execute(db);
        return { total, hits: await hits(db, found, query.variant), corrected, unknownTags };
      }),

    async get(type, slug, variant) {
      const row = await database.db
        .selectFrom("item")
        .select("body")
        .where("type", "=", type)
        .where("slug", "=", slug)
        .where(visibleIn(version.number))
        .executeTakeFirst();
      return row === undefined ? null : jsonOf(row.body, variant);
    },

    async nearestSlugs(type, slug, count) {
      const wanted = slug.slice(0, 120).toLowerCase();
      const { rows } = await sql<{ slug: string }>`
        select slug from ${tables.doc} where type = ${type} and slug = any(${[...oneEditAway(wanted, SLUG_ALPHABET)]}::text[])
        union (select slug from ${tables.doc} where type = ${type} and slug < ${wanted} order by slug desc limit ${NEIGHBOURS})
        union (select slug from ${tables.doc} where type = ${type} and slug >= ${wanted} order by slug limit ${NEIGHBOURS})`.execute(
        database.db,
      );
      const slugs = rows.map((row) => row.slug).sort(compareBytes);
      return nearestSlugs(buildStringTable(slugs), slug, { within: { from: 0, to: slugs.length }, count });
    },

    facets: (filters, names) =>
      atOnce(async (db) => {
        const { rows } = await match(db, filters, "title");
        const wanted = FACETS.filter((name) => names.includes(name));
        if (wanted.length === 0) return {};
        if (rows === null) return Object.fromEntries(wanted.map((name) => [name, []]));
        const counts = await sql<{ name: FacetName; value: string; count: number }>`
          with found as materialized (${rows}), doc as materialized (
            select one.type, one.departement, one.region, one.tags from found join ${tables.doc} as one on one.id = found.id)
          ${sql.join(
            wanted.map((name) => COUNTS[name]),
            sql` union all `,
          )}`.execute(db);
        const facets: Partial<Record<FacetName, readonly FacetValue[]>> = {};
        for (const name of wanted)
          facets[name] = await labelled(
            db,
            name,
            counts.rows.filter((row) => row.name === name),
          );
        return facets satisfies Facets;
      }),

    async *stream(query) {
      const end = query.offset + query.limit;
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const limit = Math.min(STREAM_WINDOW, end - offset);
        const { found } = await atOnce((db) => page(db, { ...query, offset, limit }));
        for (let at = 0; at < found.length; at += STREAM_READS)
          yield* await hits(database.db, found.slice(at, at + STREAM_READS), query.variant);
        if (found.length < limit) return;
      }
    },
  };

  async function labelled(
    db: Db,
    name: FacetName,
    counts: readonly { value: string; count: number }[],
  ): Promise<readonly FacetValue[]> {
    const named =
      name === "tag"
        ? await namedTags(
            db,
            counts.map(({ value }) => Number(value)),
          )
        : NAMES[name];
    return counts
      .flatMap(({ value, count }) => {
        const known = named.get(value);
        return known === undefined ? [] : [{ ...known, count }];
      })
      .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value))
      .slice(0, TAGS_AT_MOST);
  }

  async function namedTags(db: Db, numbers: readonly number[]): Promise<Map<string, Omit<FacetValue, "count">>> {
    const { rows } = await sql<{
      number: number;
      slug: string;
    }>`select number, slug from ${tables.tag} where number = any(${[...numbers]}::integer[])`.execute(db);
    const labels = new Map(meta.tags.map(({ slug, label }) => [slug, label]));
    return new Map(rows.map(({ number, slug }) => [String(number), { value: slug, label: labels.get(slug) ?? slug }]));
  }
}

const COUNTS = {
  type: sql`select 'type' as name, type as value, count(*) as count from doc group by type`,
  departement: sql`select 'departement' as name, departement::text as value, count(*) as count from doc group by departement`,
  region: sql`select 'region' as name, region::text as value, count(*) as count from doc group by region`,
  tag: sql`(select 'tag' as name, tag::text as value, count(*) as count from doc, unnest(tags) as tag group by tag order by count(*) desc, tag limit ${sql.lit(TAGS_AT_MOST)})`,
};

/** Names of the numbers in `doc`; 0 is none and has no name. */
const NAMES: Readonly<Record<Exclude<FacetName, "tag">, ReadonlyMap<string, Omit<FacetValue, "count">>>> = {
  type: new Map(Object.entries(TYPE_LABELS).map(([type, label]) => [type, { value: type, label }])),
  departement: new Map(DEPARTEMENTS.map(({ slug, nom }, at) => [String(at + 1), { value: slug, label: nom }])),
  region: new Map(REGIONS.map(({ slug, nom }, at) => [String(at + 1), { value: slug, label: nom }])),
};

function jsonOf(body: string, variant: Variant): Uint8Array {
  // `putItems` wrote the body from an ItemFields.
  const { json, summaryLength } = renderItem(JSON.parse(body) as Parameters<typeof renderItem>[0]);
  return variant === "all" ? json : Buffer.concat([json.subarray(0, summaryLength), Buffer.from("}")]);
}
