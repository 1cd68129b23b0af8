/**
 * Engine (a): a catalogue on the index of a snapshot. Everything up to the ids of a page happens without interruption; only then
 * are the items' bytes read, from memory or from the file, as the given source does it. Other threads may open catalogues on the
 * same index: it is never written to, and each catalogue has its own working memory.
 */
import type { Catalogue, Hit, NormalQuery, Variant, Version } from "../catalogue.ts";
import { ITEM_TYPES_BY_BYTES, TYPE_NUMBERS } from "./area-numbers.ts";
import { countFacets } from "./facets.ts";
import { viewIndex } from "./index-views.ts";
import { openItemStore, type KeptItems } from "./item-store.ts";
import { createMatcher, type FoundPage } from "./matcher.ts";
import { nearestSlugs } from "./nearest-slugs.ts";
import type { ByteSource, SnapshotIndex } from "./snapshot.ts";
import { positionOf, stringAt, type Range } from "./string-table.ts";

/** A stream finds this many ids at a time: few enough to hold, many enough that finding them costs less than sending them. */
const STREAM_WINDOW = 10_000;
/** Items of a stream that are read at once. */
const STREAM_READS = 50;

export interface MemorySnapshot {
  readonly index: SnapshotIndex;
  /** The whole snapshot; items are read from it on demand. */
  readonly source: ByteSource;
  /** Where items that were read stay; without it each is read from the source each time. */
  readonly kept?: KeptItems | null;
  readonly version: Version;
}

export function openMemoryCatalogue({ index: snapshot, source, kept, version }: MemorySnapshot): Catalogue {
  const index = viewIndex(snapshot);
  const matcher = createMatcher(index);
  const items = openItemStore(index, source, kept);

  const ranksOf = (type: number): Range => ({
    from: type === 1 ? 0 : index.typeEnds[type - 2],
    to: index.typeEnds[type - 1],
  });

  const hitsOf = async (found: FoundPage, variant: Variant): Promise<Hit[]> => {
    const ranks = Array.from(found.ids, (id) => index.ranks[id]);
    const jsons = ranks.map((rank) => items.read(rank, variant));
    const read = jsons.every((json) => json instanceof Uint8Array)
      ? jsons
      : await Promise.all(jsons.map(async (json) => json));
    return ranks.map((rank, position) => hitOf(rank, read[position], found.distances?.[position] ?? null));
  };
  const hitOf = (rank: number, json: Uint8Array, distanceKm: number | null): Hit => {
    const type = ITEM_TYPES_BY_BYTES[index.typeEnds.findIndex((end) => rank < end)];
    return { type, slug: stringAt(index.slugs, rank), json, distanceKm };
  };

  return {
    version: () => version,

    async search(query: NormalQuery) {
      const found = matcher.page(query);
      const { total, corrected, unknownTags } = found;
      return { total, hits: await hitsOf(found, query.variant), corrected, unknownTags };
    },

    async get(type, slug, variant) {
      const rank = positionOf(index.slugs, slug, ranksOf(TYPE_NUMBERS.get(type) ?? 0));
      return rank < 0 ? null : items.read(rank, variant);
    },

    async nearestSlugs(type, slug, count) {
      return nearestSlugs(index.slugs, slug, { within: ranksOf(TYPE_NUMBERS.get(type) ?? 0), count });
    },

    async facets(filters, names) {
      return countFacets(index, matcher.match(filters).ids, names);
    },

    meta: async () => index.meta,

    async *stream(query) {
      const end = query.offset + query.limit;
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const window = matcher.page({ ...query, offset, limit: Math.min(STREAM_WINDOW, end - offset) });
        for (let at = 0; at < window.ids.length; at += STREAM_READS) {
          const ids = window.ids.subarray(at, at + STREAM_READS);
          const distances = window.distances?.slice(at, at + STREAM_READS) ?? null;
          yield* await hitsOf({ ...window, ids, distances }, query.variant);
        }
        if (offset + window.ids.length >= window.total) return;
      }
    },
  };
}
