/**
 * Compares the memory engine with the oracle over random queries: ten thousand in the long form, a quarter in the short
 * one.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Filters } from "../src/domain/catalogue.ts";
import { openOracle } from "./support/oracle.ts";
import { openInMemory } from "./support/open-in-memory.ts";
import { randomItems, TAG_LABELS } from "./support/random-items.ts";
import { randomQuery } from "./support/random-queries.ts";
import { seeded } from "./support/random.ts";
import { idOf } from "./support/stored-item.ts";

const isLong = process.env["TEST_LONG"] !== undefined;
/** The number of items per data set in the short form. */
const ITEMS_MAX = 600;
const DATA_SETS = [
  { name: "no item at all", seed: 1, count: 0, queries: 300 },
  { name: "one item", seed: 2, count: 1, queries: 700 },
  { name: "a dozen", seed: 3, count: 12, queries: 4000 },
  { name: "some dozens", seed: 4, count: 80, queries: 3700 },
  { name: "some hundred", seed: 5, count: 300, queries: 1000 },
  { name: "a thousand", seed: 6, count: 1000, queries: 300 },
];

/** Filters of whose queries some must match, or they prove nothing. */
const USED = {
  communes: ({ communes }: Filters) => communes.length > 0,
  insee: ({ insee }: Filters) => insee.length > 0,
  postalCodes: ({ postalCodes }: Filters) => postalCodes.length > 0,
  sources: ({ sources }: Filters) => sources.length > 0,
  excludedSources: ({ excludedSources }: Filters) => excludedSources.length > 0,
  boxes: ({ box }: Filters) => box !== null,
};

describe("the memory engine gives the results of a full scan", () => {
  for (const { name, seed, count, queries: all } of DATA_SETS) {
    const queries = isLong ? all : Math.min(all, ITEMS_MAX);
    it(`over ${name}: totals, order, distances, facets, corrections, unknown tags`, async () => {
      const random = seeded(seed);
      const items = randomItems(random, count);
      const oracle = openOracle(items, TAG_LABELS);
      const catalogue = await openInMemory(items, TAG_LABELS);
      const used = new Set<string>();
      const met = { matches: 0, corrections: 0, relaxations: 0, distances: 0, unknownTags: 0 };
      for (let round = 0; round < queries; round++) {
        const { query, facets } = randomQuery(random, items);
        const page = await catalogue.search(query);
        const answer = {
          total: page.total,
          hits: page.hits.map((hit) => ({ id: idOf(hit), distanceKm: hit.distanceKm })),
          corrected: page.corrected,
          relaxed: page.relaxed,
          unknownTags: page.unknownTags,
        };
        assert.deepEqual(answer, await oracle.search(query), `query ${round}: ${JSON.stringify(query)}`);
        if (answer.total > 0) met.matches++;
        for (const [name, isUsed] of Object.entries(USED)) if (answer.total > 0 && isUsed(query)) used.add(name);
        if (answer.corrected !== null) met.corrections++;
        if (answer.relaxed !== null) met.relaxations++;
        if (answer.hits.some(({ distanceKm }) => distanceKm !== null)) met.distances++;
        if (answer.unknownTags.length > 0) met.unknownTags++;
        assert.deepEqual(
          await catalogue.facets(query, facets),
          await oracle.facets(query, facets),
          JSON.stringify(query),
        );
      }
      if (count >= 80) assert.deepEqual([...used].sort(), Object.keys(USED).sort());
      // Guards against queries without matches, which prove nothing.
      if (count < 100) return;
      for (const [what, times] of Object.entries(met))
        assert.ok(times > queries / 50, `only ${times} of ${queries} with ${what}`);
      assert.ok(met.matches > queries / 4);
    });
  }
});
