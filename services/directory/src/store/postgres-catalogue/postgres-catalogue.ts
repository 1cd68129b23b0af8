/**
 * The PostgreSQL engine: sets, totals, facets and distances equal those of the memory engine. The order of relevance is
 * PostgreSQL's own. Tables of a version are immutable, so the statements of one query need no transaction.
 */
import { sql, type Database } from "@triptych/storage";
import type { Catalogue, CatalogueMeta, Variant, Version } from "../../domain/catalogue.ts";
import { visibleIn, type DirectoryTables } from "../tables.ts";
import { findCommunes } from "./find-communes.ts";
import { countFacets } from "./count-facets.ts";
import { countMatches, findPage, planMatching, type Match, type SearchedIndex } from "./find-page.ts";
import { findSuggestions } from "./suggest-entries.ts";
import { nearestStoredSlugs } from "./similar-slugs.ts";
import { indexTables, type IndexVersion } from "./index-tables.ts";
import { readAll, readHits, render } from "./read-items.ts";
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

    nearestSlugs: (type, slug, count) =>
      nearestStoredSlugs({ db, from: tables.entry, where: sql`type = ${type}` }, slug, count),

    suggest: (query) => findSuggestions(index, version.number, query),

    async facets(filters, names) {
      const { conditions } = await planMatching(index, filters);
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
