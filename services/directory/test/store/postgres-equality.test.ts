/**
 * The PostgreSQL engine gives the results of the oracle and the memory engine to the last bit. Only its order of
 * relevance is its own. Requires PostgreSQL with PostGIS.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { Catalogue, NormalQuery, StoredItem } from "../../src/domain/catalogue.ts";
import type { StoreTables } from "../../src/store/tables.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { openOracle } from "../support/oracle.ts";
import { consecutive, POSTGRES, publishedCatalogue } from "../support/publish-to-postgres.ts";
import { randomItems, TAG_LABELS } from "../support/random-items.ts";
import { randomQuery } from "../support/random-queries.ts";
import { seeded, type Random } from "../support/random.ts";
import { collected, idOf } from "../support/stored-item.ts";

/** The long form has ten thousand. */
const QUERIES = process.env["TEST_LONG"] === undefined ? 200 : 10_000;
const DATA_SETS = [
  { name: "no item at all", seed: 11, count: 0, share: 0.02 },
  { name: "one item", seed: 12, count: 1, share: 0.03 },
  { name: "some dozens", seed: 13, count: 80, share: 0.45 },
  { name: "some hundred", seed: 14, count: 400, share: 0.5 },
];

forEachEngine<StoreTables>("the equality of the catalogue", POSTGRES, (_open, { createLocation }) => {
  for (const { name, seed, count, share } of DATA_SETS) {
    test(`gives the results of the oracle and the memory engine over ${name}`, async () => {
      await using location = await createLocation();
      await using database = await location.open();
      const random = seeded(seed);
      const items = consecutive(randomItems(random, count));
      const catalogue = await publishedCatalogue(database, location, items);
      const [oracle, memory] = [openOracle(items, TAG_LABELS), await openInMemory(items, TAG_LABELS)];
      for (let round = 0; round < QUERIES * share; round++) {
        const { query, facets } = randomQuery(random, items);
        const actual = await answerOf(catalogue, query);
        if (query.sort === "relevance") await assertRelevance(actual.answer, oracle, query);
        else {
          assert.deepEqual(actual.answer, await oracle.search(query), `query ${round}: ${JSON.stringify(query)}`);
          assert.deepEqual(actual, await answerOf(memory, query), `query ${round}: ${JSON.stringify(query)}`);
        }
        assert.deepEqual(
          await catalogue.facets(query, facets),
          await memory.facets(query, facets),
          JSON.stringify(query),
        );
      }
      assert.deepEqual(await catalogue.meta(), await memory.meta());
    });
  }

  test("gives the memory engine's results over thousands of items, at any depth", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(15);
    const items = consecutive(randomItems(random, 5000));
    const catalogue = await publishedCatalogue(database, location, items);
    const memory = await openInMemory(items, TAG_LABELS);
    for (let round = 0; round < QUERIES / 10; round++) {
      const { query, facets } = randomQuery(random, items);
      const sort = query.sort === "relevance" ? "title" : query.sort;
      const deep = { ...query, sort, offset: random.chance(0.3) ? random.below(5000) : query.offset };
      assert.deepEqual(await answerOf(catalogue, deep), await answerOf(memory, deep), JSON.stringify(deep));
      assert.deepEqual(
        await catalogue.facets(query, facets),
        await memory.facets(query, facets),
        JSON.stringify(query),
      );
    }
  });

  test("gives the oracle's page of a circle, equal distances by title", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(16);
    const some = randomItems(random, 150);
    const again = some.map(({ item, ...source }) => ({
      ...source,
      sourceId: `${source.sourceId}-again`,
      item: { ...item, slug: `${item.slug}-again` },
    }));
    const items = [...some, ...again];
    const oracle = openOracle(items, TAG_LABELS);
    const catalogue = await publishedCatalogue(database, location, items);
    let found = 0;
    for (let round = 0; round < QUERIES; round++) {
      const circle = randomCircle(random, items);
      const actual = await answerOf(catalogue, circle);
      assert.deepEqual(actual.answer, await oracle.search(circle), JSON.stringify(circle));
      found += actual.texts.length;
    }
    assert.ok(found > 0);
  });

  test("gives the memory engine's items, streams and suggestions", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(21);
    const items = consecutive(randomItems(random, 300));
    const catalogue = await publishedCatalogue(database, location, items);
    const memory = await openInMemory(items, TAG_LABELS);
    for (const variant of ["summary", "all"] as const) {
      for (const { item } of items.slice(0, 40)) {
        assert.deepEqual(
          Buffer.from((await catalogue.get(item.type, item.slug, variant)) ?? []),
          Buffer.from((await memory.get(item.type, item.slug, variant)) ?? []),
        );
      }
    }
    assert.equal(await catalogue.get("place", "no-such-slug", "all"), null);
    const ids = [...items.slice(0, 60).map(({ item: { type, slug } }) => ({ type, slug })), MISSING, MISSING];
    for (const variant of ["summary", "all"] as const)
      assert.deepEqual(
        (await catalogue.getAll(ids, variant)).map((json) => json && Buffer.from(json)),
        (await memory.getAll(ids, variant)).map((json) => json && Buffer.from(json)),
      );
    assert.deepEqual(await catalogue.getAll([], "all"), []);
    for (const name of COMMUNE_SPELLINGS)
      assert.deepEqual(await catalogue.findCommunes(name), await memory.findCommunes(name), name);
    for (const slug of ["musee-1", "musee", "x-10", "ecole-99x", "zzz", "", "a-b--3"]) {
      assert.deepEqual(
        await catalogue.nearestSlugs("place", slug, 3),
        await memory.nearestSlugs("place", slug, 3),
        slug,
      );
    }
    for (let round = 0; round < 30; round++) {
      const { query } = randomQuery(random, items);
      const sort = query.sort === "relevance" ? "title" : query.sort;
      const wide = { ...query, sort, offset: round % 3, limit: 1000 };
      const [theirs, ours] = [await collected(catalogue.stream(wide)), await collected(memory.stream(wide))];
      assert.deepEqual(theirs.map(hitOf), ours.map(hitOf), JSON.stringify(wide));
    }
  });
});

const MISSING = { type: "place", slug: "no-such-slug" } as const;
const COMMUNE_SPELLINGS = [
  "Saint-Denis",
  "ST DENIS",
  "saintdenis",
  "La Garde",
  "lagarde",
  "LaGarde",
  "Ajacio",
  "",
  "-",
  "Ελ",
  "%",
];

/** The sets of the oracle, in any order, without repetition. */
async function assertRelevance(
  { hits, ...others }: Awaited<ReturnType<typeof answerOf>>["answer"],
  oracle: ReturnType<typeof openOracle>,
  query: NormalQuery,
): Promise<void> {
  const { hits: page, ...expected } = await oracle.search(query);
  assert.deepEqual(others, expected, JSON.stringify(query));
  assert.equal(hits.length, page.length);
  assert.equal(new Set(hits.map(({ id }) => id)).size, hits.length);
  const matches = new Map(
    (await oracle.search({ ...query, offset: 0, limit: others.total })).hits.map(({ id, distanceKm }) => [
      id,
      distanceKm,
    ]),
  );
  for (const { id, distanceKm } of hits) assert.equal(matches.get(id), distanceKm, `${id} of ${JSON.stringify(query)}`);
}

/** A circle, optionally with filters other than words and tags. */
function randomCircle(random: Random, items: readonly StoredItem[]): NormalQuery {
  for (;;) {
    const { query } = randomQuery(random, items);
    if (query.near !== null) return { ...query, text: null, tags: [], sort: "distance" };
  }
}

async function answerOf(catalogue: Catalogue, query: NormalQuery) {
  const { total, hits, corrected, relaxed, unknownTags } = await catalogue.search(query);
  return {
    answer: {
      total,
      hits: hits.map((hit) => ({ id: idOf(hit), distanceKm: hit.distanceKm })),
      corrected,
      relaxed,
      unknownTags,
    },
    texts: hits.map(({ json }) => Buffer.from(json).toString()),
  };
}

function hitOf({ json, distanceKm }: { json: Uint8Array; distanceKm: number | null }): string {
  return `${Buffer.from(json).toString()} ${distanceKm}`;
}
