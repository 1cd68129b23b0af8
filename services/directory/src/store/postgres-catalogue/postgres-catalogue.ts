/**
 * The PostgreSQL engine: sets, totals, facets and distances equal those of the memory engine. The order of relevance is
 * PostgreSQL's own. Tables of a version are immutable, so the statements of one query need no transaction.
 */
import { sql, type Database } from "@triptych/storage";
import type { Catalogue, CatalogueMeta, Hit, ItemId, Variant, Version } from "../../domain/catalogue.ts";
import { nearestSlugs } from "../../domain/index/correction.ts";
import { itemText } from "../../domain/index/item-json.ts";
import { buildStringTable } from "../../domain/index/string-table.ts";
import { itemOf } from "../published-versions.ts";
import { visibleIn, type DirectoryTables } from "../tables.ts";
import { findCommunes } from "./find-communes.ts";
import { countFacets } from "./count-facets.ts";
import { countMatches, findPage, type Match, type SearchedIndex } from "./find-page.ts";
import { findSuggestions } from "./suggest-entries.ts";
import { similarSlugs } from "./similar-slugs.ts";
import { indexTables, NOT_WHOLE, type IndexVersion } from "./index-tables.ts";
import { readVocabulary, type StoredVocabulary } from "./read-words.ts";

/** Ids per search of a stream, and items per statement. */
const STREAM_WINDOW = 20_000;
const STREAM_READS = 200;

export interface PostgresCatalogueOptions {
  readonly database: Database<DirectoryTables>;
  readonly schema: string;
  readonly version: Version;
  readonly index: IndexVersion;
}

export function openPostgresCatalogue({
  database: { db },
  schema,
  version,
  index: { items, meta: description },
}: PostgresCatalogueOptions): Catalogue {
  const tables = indexTables(schema, version.number);
  let vocabulary: Promise<StoredVocabulary> | null = null;
  const index: SearchedIndex = {
    db,
    tables,
    items,
    vocabulary: () =>
      (vocabulary ??= readVocabulary(db, tables, items).catch((error: unknown) => {
        // The next query tries again.
        vocabulary = null;
        throw error;
      })),
  };
  // `buildTables` wrote it from a CatalogueMeta.
  const meta = JSON.parse(description) as CatalogueMeta;
  const knownTags = new Set(meta.tags.map(({ slug }) => slug));
  const hitsOf = (matches: readonly Match[], variant: Variant) =>
    readHits(index, matches, { variant, version: version.number });

  return {
    version: () => version,
    meta: async () => meta,

    async search(query) {
      const matching = await countMatches(index, query);
      const tags = new Set([...query.tags.flat(), ...query.excludedTags]);
      return {
        total: matching.total,
        hits: await hitsOf(await findPage(index, query, matching), query.variant),
        corrected: matching.plan?.corrected ?? null,
        relaxed: matching.plan?.relaxed ?? null,
        unknownTags: [...tags].filter((tag) => !knownTags.has(tag)).sort(),
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

    getAll: (ids, variant) => readAll(db, ids, { variant, version: version.number }),
    findCommunes: (name) => findCommunes(index, name),

    async nearestSlugs(type, slug, count) {
      const ofType = { db, from: index.tables.entry, where: sql`type = ${type}` };
      const slugs = await similarSlugs(ofType, slug.slice(0, 120).toLowerCase());
      return nearestSlugs(buildStringTable(slugs), slug, { within: { from: 0, to: slugs.length }, count });
    },

    suggest: (query) => findSuggestions(index, version.number, query),

    async facets(filters, names) {
      const { conditions } = await countMatches(index, filters);
      return countFacets({ ...index, meta }, conditions, names);
    },

    async *stream(query) {
      const matching = await countMatches(index, query);
      const end = Math.min(query.offset + query.limit, matching.total);
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const limit = Math.min(STREAM_WINDOW, end - offset);
        const found = await findPage(index, { ...query, offset, limit }, matching);
        for (let at = 0; at < found.length; at += STREAM_READS)
          yield* await hitsOf(found.slice(at, at + STREAM_READS), query.variant);
      }
    },
  };
}

async function readAll(
  db: SearchedIndex["db"],
  ids: readonly ItemId[],
  { variant, version }: { readonly variant: Variant; readonly version: number },
): Promise<(Buffer | null)[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("item")
    .select(["type", "slug", "body"])
    .where(
      sql<boolean>`(type, slug) in (select * from unnest(${ids.map(({ type }) => type)}::text[],
        ${ids.map(({ slug }) => slug)}::text[]))`,
    )
    .where(visibleIn(version))
    .execute();
  const bodies = new Map(rows.map(({ type, slug, body }) => [`${type}/${slug}`, body]));
  return ids.map(({ type, slug }) => {
    const body = bodies.get(`${type}/${slug}`);
    return body === undefined ? null : render(body, variant);
  });
}

/** The stored items of these matches, in their order. */
async function readHits(
  { db, tables }: SearchedIndex,
  matches: readonly Match[],
  { variant, version }: { readonly variant: Variant; readonly version: number },
): Promise<Hit[]> {
  if (matches.length === 0) return [];
  const { rows } = await sql<{ id: number; body: string }>`
    select entry.id, item.body from ${tables.entry} as entry
      join ${sql.table("item")} as item on item.type = entry.type and item.slug = entry.slug and ${visibleIn(version)}
     where entry.id = any(${matches.map(({ id }) => id)}::integer[])`.execute(db);
  const bodies = new Map(rows.map(({ id, body }) => [id, body]));
  return matches.map(({ id, distanceKm }) => {
    const body = bodies.get(id);
    if (body === undefined) throw new Error(NOT_WHOLE);
    return { json: render(body, variant), distanceKm };
  });
}

/** The item's JSON as in a snapshot. */
function render(body: string, variant: Variant): Buffer {
  const { summary, rest } = itemText(itemOf(body));
  return Buffer.from(summary + (variant === "all" ? rest : "}"));
}
