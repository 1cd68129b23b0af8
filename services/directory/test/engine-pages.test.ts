/** Test 3 of the contract: all pages together are the whole set, once each, in one order; so is a stream. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Catalogue, NormalQuery } from "../src/domain/catalogue.ts";
import { openInMemory } from "./support/open-in-memory.ts";
import { randomItems, TAG_LABELS } from "./support/random-items.ts";
import { randomQuery } from "./support/random-queries.ts";
import { seeded } from "./support/random.ts";
import { idOf } from "./support/stored-item.ts";

async function walk(
  catalogue: Catalogue,
  query: NormalQuery,
  size: number,
): Promise<{ ids: string[]; totals: Set<number> }> {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let offset = 0; ; offset += size) {
    const page = await catalogue.search({ ...query, offset, limit: size });
    totals.add(page.total);
    ids.push(...page.hits.map(idOf));
    if (page.hits.length < size) return { ids, totals };
  }
}

describe("walking pages by offset", () => {
  it("returns every match exactly once, with a constant total, for any filter, order and page size", async () => {
    const random = seeded(31);
    const items = randomItems(random, 700);
    const catalogue = await openInMemory(items, TAG_LABELS);
    let longest = 0;
    for (let round = 0; round < 150; round++) {
      const { query } = randomQuery(random, items);
      const whole = (await catalogue.search({ ...query, offset: 0, limit: items.length })).hits.map(idOf);
      const { ids, totals } = await walk(catalogue, query, 1 + random.below(60));
      assert.deepEqual(ids, whole);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual([...totals], [ids.length]);
      longest = Math.max(longest, ids.length);
    }
    assert.equal(longest, items.length);
  });

  it("equals the stream from any offset to any limit, distances included", async () => {
    const random = seeded(32);
    const items = randomItems(random, 5000);
    const catalogue = await openInMemory(items, TAG_LABELS);
    for (let round = 0; round < 40; round++) {
      const { query } = randomQuery(random, items);
      const pageQuery = { ...query, offset: random.pick([0, 3, 2500]), limit: random.pick([0, 10, 2100, 10_000]) };
      const streamed = [];
      for await (const hit of catalogue.stream(pageQuery)) streamed.push(hit);
      assert.deepEqual(streamed, (await catalogue.search(pageQuery)).hits);
    }
  });

  it("returns separate pages to concurrent searches", async () => {
    const random = seeded(33);
    const items = randomItems(random, 400);
    const catalogue = await openInMemory(items, TAG_LABELS);
    const queries = Array.from({ length: 50 }, () => randomQuery(random, items).query);
    const alone = [];
    for (const query of queries) alone.push(await catalogue.search(query));
    assert.deepEqual(await Promise.all(queries.map(async (query) => catalogue.search(query))), alone);
  });
});
