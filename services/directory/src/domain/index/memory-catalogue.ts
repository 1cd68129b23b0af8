/**
 * The in-memory engine: a catalogue on a snapshot's index. Finding a page is synchronous; only then are items read. The
 * index is read-only and shared between threads; each catalogue has its own scratch memory.
 */
import type { Catalogue, Filters, Hit, ItemId, Variant, Version } from "../catalogue.ts";
import type { TextPlan } from "../search/text-plan.ts";
import { TYPE_NUMBERS, viewIndex, type IndexViews } from "./index-views.ts";
import { findCommunes, type CommuneTables } from "./communes.ts";
import { openItemStore, type CachedItems, type ItemStore } from "./item-store.ts";
import { createMatcher, type FoundPage, type Search } from "./query-executor.ts";
import { nearestSlugs } from "./correction.ts";
import { findSuggestions, toSuggestion } from "./suggest.ts";
import type { ByteSource, SnapshotIndex } from "./snapshot.ts";
import { positionOf, type Range } from "./string-table.ts";

/** Ids per search of a stream: few enough for memory, enough that the search is cheaper than sending. */
const STREAM_WINDOW = 10_000;
const STREAM_READS = 50;
const NO_PLAN = { corrected: null, relaxed: null };

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

  const rankOf = ({ type, slug }: ItemId): number =>
    positionOf(index.slugs, slug, ranksOf(TYPE_NUMBERS.get(type) ?? 0));

  const hitsOf = async (found: FoundPage, variant: Variant): Promise<Hit[]> => {
    const ranks: number[] = [];
    for (let at = 0; at < found.ids.length; at++) ranks.push(index.ranks[found.ids[at]]);
    const jsons = await items.read(ranks, variant);
    return jsons.map((json, position) => ({ json, distanceKm: found.distances?.[position] ?? null }));
  };

  /** Searches again with a looser plan when the first one matches nothing, or only elsewhere than its town. */
  const answer = async <Found extends { readonly total: number }>(
    filters: Filters,
    find: (search: Search, plan: TextPlan | null) => Found,
  ): Promise<{ readonly search: Search; readonly plan: TextPlan | null; readonly found: Found }> => {
    const search = matcher.within(filters);
    const plan = await search.plan();
    const found = find(search, plan);
    const looser = await search.relax(plan, found.total);
    return { search, plan: looser ?? plan, found: looser === null ? found : find(search, looser) };
  };

  return {
    version: () => version,

    async search(query) {
      const { plan, found } = await answer(query, (search, read) => search.page(query, read));
      const { total, unknownTags } = found;
      const { corrected, relaxed } = plan ?? NO_PLAN;
      return { total, hits: await hitsOf(found, query.variant), corrected, relaxed, unknownTags };
    },

    async get(type, slug, variant) {
      return (await readAll(items, [rankOf({ type, slug })], variant))[0];
    },

    getAll: (ids, variant) => readAll(items, ids.map(rankOf), variant),

    findCommunes: async (name) => findCommunes(communeTables(index), name),

    nearestSlugs: async (type, slug, count) =>
      nearestSlugs(index.slugs, slug, { within: ranksOf(TYPE_NUMBERS.get(type) ?? 0), count }),

    facets: async (filters, names) =>
      (await answer(filters, (search, plan) => search.facets(plan, names))).found.facets,

    async suggest(query) {
      const found = findSuggestions(index.suggest, query);
      const ranks = found.flatMap((entry) => (entry.kind === "title" ? [entry.rank] : []));
      const titles = new Map((await items.read(ranks, "summary")).map((json, at) => [ranks[at], json]));
      return found.map((entry) => toSuggestion(entry, titles));
    },

    meta: async () => index.meta,

    async *stream(query) {
      const { search, plan } = await answer(query, (first, read) => ({ total: first.match(read).ids.length }));
      const end = query.offset + query.limit;
      for (let offset = query.offset; offset < end; offset += STREAM_WINDOW) {
        const window = search.page({ sort: query.sort, offset, limit: Math.min(STREAM_WINDOW, end - offset) }, plan);
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

function communeTables({ commune, communeLabels, communeCodes }: IndexViews): CommuneTables {
  return { slugs: commune.keys, labels: communeLabels, codes: communeCodes };
}

/** The items of these ranks; null for a negative rank. */
async function readAll(items: ItemStore, ranks: readonly number[], variant: Variant): Promise<(Uint8Array | null)[]> {
  const existing = ranks.filter((rank) => rank >= 0);
  const found = (await items.read(existing, variant)).values();
  return ranks.map((rank) => (rank < 0 ? null : (found.next().value ?? null)));
}
