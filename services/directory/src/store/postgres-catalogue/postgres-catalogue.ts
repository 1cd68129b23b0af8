/**
 * The PostgreSQL engine: a catalogue with the results of the memory engine. The vocabulary is in memory; lists and
 * columns are read by block through an LRU cache; distances are computed in the database. Tables of a version are
 * immutable, so the statements of one query need no transaction.
 */
import { sql, type Database } from "@triptych/storage";
import type { Catalogue, CatalogueMeta, Variant, Version } from "../../domain/catalogue.ts";
import { nearestSlugs } from "../../domain/index/nearest-slugs.ts";
import { buildStringTable, compareBytes } from "../../domain/index/string-table.ts";
import type { DirectoryTables } from "../tables.ts";
import { createBlockReader } from "./blocks.ts";
import { readBody, readHits } from "./stored-documents.ts";
import { circleAlone, readCirclePage } from "./circle-page.ts";
import { countFacets } from "./count-facets.ts";
import { findPage, type FoundPage } from "./find-page.ts";
import { indexTables, type IndexVersion } from "./index-tables.ts";
import type { Bounds, IndexReader } from "./match.ts";
import { fuzzyTerms } from "./fuzzy-terms.ts";
import { readSections } from "./index-sections.ts";

/** 64 MB of blocks contain about 25 million postings. */
export const BOUNDS: Bounds = { cacheBytes: 1 << 26, measuredSingly: 2000, sortedThere: 1000 };
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
  readonly bounds?: Bounds;
}

export async function openPostgresCatalogue({
  database: { db },
  schema,
  version,
  index,
  bounds = BOUNDS,
}: PostgresCatalogueOptions): Promise<Catalogue> {
  const tables = indexTables(schema, version.number);
  const indexReader: IndexReader = {
    db,
    tables,
    statistics: await readSections(db, tables, index.items),
    reader: createBlockReader(db, tables, bounds),
    bounds,
  };
  // `buildTables` wrote it from a CatalogueMeta.
  const meta = JSON.parse(index.meta) as CatalogueMeta;
  const labels = new Map(meta.tags.map(({ slug, label }) => [slug, label]));

  const hits = ({ ids, distances }: Pick<FoundPage, "ids" | "distances">, variant: Variant) =>
    readHits(indexReader, { ids, distances, variant });

  return {
    version: () => version,
    meta: async () => meta,

    async search(query) {
      const circle = circleAlone(indexReader, query);
      if (circle !== null) return readCirclePage(indexReader, circle, query);
      const found = await findPage(indexReader, query);
      const { total, corrected, unknownTags } = found;
      return { total, hits: await hits(found, query.variant), corrected, unknownTags };
    },

    get: (type, slug, variant) => readBody(indexReader, { type, slug, variant }),

    async nearestSlugs(type, slug, count) {
      const target = slug.slice(0, 120).toLowerCase();
      const { rows } = await sql<{ slug: string }>`
        select slug from ${tables.doc} where type = ${type} and slug = any(${[...fuzzyTerms(target, SLUG_ALPHABET)]}::text[])
        union (select slug from ${tables.doc} where type = ${type} and slug < ${target} order by slug desc limit ${NEIGHBOURS})
        union (select slug from ${tables.doc} where type = ${type} and slug >= ${target} order by slug limit ${NEIGHBOURS})`.execute(
        db,
      );
      const slugs = rows.map((row) => row.slug).sort(compareBytes);
      return nearestSlugs(buildStringTable(slugs), slug, { within: { from: 0, to: slugs.length }, count });
    },

    facets: (filters, names) => countFacets(indexReader, filters, { names, labels }),

    async *stream(query) {
      const end = query.offset + query.limit;
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const limit = Math.min(STREAM_WINDOW, end - offset);
        const { ids, distances } = await findPage(indexReader, { ...query, offset, limit });
        for (let at = 0; at < ids.length; at += STREAM_READS) {
          const part = {
            ids: ids.subarray(at, at + STREAM_READS),
            distances: distances?.slice(at, at + STREAM_READS) ?? null,
          };
          yield* await hits(part, query.variant);
        }
        if (ids.length < limit) return;
      }
    },
  };
}
