/**
 * The in-memory engine: a catalogue on a snapshot's index. Finding a page is synchronous; only then are items read. The
 * index is read-only and shared between threads; each catalogue has its own scratch memory.
 */
import type { Catalogue, Hit, Variant, Version } from "../catalogue.ts";
import { TYPE_NUMBERS, viewIndex } from "./index-views.ts";
import { countFacets } from "./facets.ts";
import { openItemStore, type CachedItems } from "./item-store.ts";
import { createMatcher, type FoundPage } from "./query-executor.ts";
import { nearestSlugs } from "./correction.ts";
import { findSuggestions, toSuggestion } from "./suggest.ts";
import type { ByteSource, SnapshotIndex } from "./snapshot.ts";
import { positionOf, type Range } from "./string-table.ts";

/** Ids per search of a stream: few enough for memory, enough that the search is cheaper than sending. */
const STREAM_WINDOW = 10_000;
const STREAM_READS = 50;

export interface MemorySnapshot {
  readonly index: SnapshotIndex;
  readonly source: ByteSource;
  readonly cachedItems?: CachedItems | null;
  readonly version: Version;
}

export function openMemoryCatalogue({ index: snapshot, source, cachedItems, version }: MemorySnapshot): Catalogue {
  const index = viewIndex(snapshot);
  const matcher = createMatcher(index);
  const items = openItemStore(index, source, cachedItems);

  const ranksOf = (type: number): Range => ({
    from: type === 1 ? 0 : index.typeEnds[type - 2],
    to: index.typeEnds[type - 1],
  });

  const hitsOf = async (found: FoundPage, variant: Variant): Promise<Hit[]> => {
    const ranks = Array.from(found.ids, (id) => index.ranks[id]);
    const jsons = await items.read(ranks, variant);
    return jsons.map((json, position) => ({ json, distanceKm: found.distances?.[position] ?? null }));
  };

  return {
    version: () => version,

    async search(query) {
      const found = matcher.page(query);
      const { total, corrected, unknownTags } = found;
      return { total, hits: await hitsOf(found, query.variant), corrected, unknownTags };
    },

    async get(type, slug, variant) {
      const rank = positionOf(index.slugs, slug, ranksOf(TYPE_NUMBERS.get(type) ?? 0));
      if (rank < 0) return null;
      const [json] = await items.read([rank], variant);
      return json;
    },

    async nearestSlugs(type, slug, count) {
      return nearestSlugs(index.slugs, slug, { within: ranksOf(TYPE_NUMBERS.get(type) ?? 0), count });
    },

    async facets(filters, names) {
      return countFacets(index, matcher.match(filters).ids, names);
    },

    async suggest(query) {
      const found = findSuggestions(index.suggest, query);
      const ranks = found.flatMap((entry) => (entry.kind === "title" ? [entry.rank] : []));
      const titles = new Map((await items.read(ranks, "summary")).map((json, at) => [ranks[at], json]));
      return found.map((entry) => toSuggestion(entry, titles));
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
