/**
 * Search libraries in this process. They hold the items' words but not their JSON, of which a million do not fit beside
 * the indexes; so their pages are cheaper than those of the others.
 */
import { create, insertMultiple, search } from "@orama/orama";
import MiniSearch, { type Query } from "minisearch";
import { squaredChord, unitVector, type UnitVector } from "../src/domain/geo.ts";
import type { PeerItem, PeerLoading, PeerQuery } from "./peers-query.ts";

/** Words are analyzed already. */
const splitWords = (text: string) => text.split(" ");
const wordsOf = ({ terms }: PeerItem) => terms.map(({ term }) => term).join(" ");

interface Facts extends Pick<PeerItem, "type" | "departement" | "region" | "titleRank" | "tags"> {
  readonly point: UnitVector | null;
}

/** Filters and orders by functions over its matches, as its documentation shows. */
export function loadMiniSearch(): PeerLoading {
  const name = "MiniSearch";
  const index = new MiniSearch<{ id: number; words: string }>({
    fields: ["words"],
    tokenize: splitWords,
    processTerm: (term) => term,
  });
  const facts: Facts[] = [];
  const factsOf = ({ id }: { readonly id: unknown }): Facts => facts[Number(id) - 1];
  return {
    name,
    async add(batch) {
      for (const item of batch) {
        const { type, departement, region, titleRank, tags, location } = item;
        const point = location && unitVector(location.lat, location.lon);
        facts.push({ type, departement, region, titleRank, tags, point });
        index.add({ id: item.id, words: wordsOf(item) });
      }
    },
    async finish() {
      return {
        name,
        bytes: null,
        async search(query) {
          const accepts = acceptedBy(query);
          const filter = (hit: { readonly id: unknown }) => accepts(factsOf(hit));
          const hits = index.search(expressionOf(query), { filter });
          const keyOf = orderOf(query);
          if (keyOf !== null) hits.sort((a, b) => keyOf(factsOf(a)) - keyOf(factsOf(b)));
          return { total: hits.length, returned: hits.slice(query.offset, query.offset + query.limit).length };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      index.removeAll();
    },
  };
}

function expressionOf({ termGroups }: PeerQuery): Query {
  if (termGroups.length === 0) return MiniSearch.wildcard;
  const groups: Query[] = termGroups.map(({ any }) => ({ combineWith: "OR", queries: [...any] }));
  return { combineWith: "AND", queries: groups };
}

function acceptedBy({ types, departements, regions, tags, near }: PeerQuery): (facts: Facts) => boolean {
  const isIn = (values: readonly string[], value: string | null) =>
    values.length === 0 || (value !== null && values.includes(value));
  return (facts) =>
    isIn(types, facts.type) &&
    isIn(departements, facts.departement) &&
    isIn(regions, facts.region) &&
    tags.every((any) => facts.tags.some((tag) => any.includes(tag))) &&
    (near === null || (facts.point !== null && squaredChord(facts.point, near.vector) <= near.bound));
}

/** Null: its own order of relevance. */
function orderOf({ sort, near }: PeerQuery): ((facts: Facts) => number) | null {
  if (sort === "relevance") return null;
  if (sort === "title" || near === null) return ({ titleRank }) => titleRank;
  return ({ point }) => (point === null ? Infinity : squaredChord(point, near.vector));
}

/** Omits the classes with points, whose borders differ from ours, and with unfinished words, which it stems. */
export function loadOrama(): PeerLoading {
  const name = "Orama";
  const database = create({
    schema: {
      words: "string",
      type: "enum",
      departement: "enum",
      region: "enum",
      tags: "enum[]",
      titleRank: "number",
    },
    components: { tokenizer: { language: "french", normalizationCache: new Map(), tokenize: splitWords } },
  });
  return {
    name,
    async add(batch) {
      const rows = batch.map((item) => ({
        id: String(item.id),
        words: wordsOf(item),
        type: item.type,
        departement: item.departement ?? "",
        region: item.region ?? "",
        tags: [...item.tags],
        titleRank: item.titleRank,
      }));
      await insertMultiple(database, rows, rows.length);
    },
    async finish() {
      return {
        name,
        bytes: null,
        async search(query) {
          const { near, termGroups, types, departements, regions, tags, sort, offset, limit } = query;
          if (near !== null || termGroups.some(({ any }) => any.length !== 1)) return null;
          const where = {
            ...(types.length > 0 && { type: { in: [...types] } }),
            ...(departements.length > 0 && { departement: { in: [...departements] } }),
            ...(regions.length > 0 && { region: { in: [...regions] } }),
            ...(tags.length > 0 && { tags: { containsAny: [...tags[0]] } }),
          };
          const { count, hits } = await search(database, {
            term: termGroups.map(({ any }) => any[0]).join(" "),
            // All words, as they stand.
            threshold: 0,
            exact: true,
            where,
            offset,
            limit,
            ...(sort === "title" && { sortBy: { property: "titleRank", order: "ASC" } }),
          });
          return { total: count, returned: hits.length };
        },
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}
