/**
 * The PostgreSQL engine gives the results of the oracle and the memory engine to the last bit. Requires PostgreSQL with
 * PostGIS.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { NO_FILTERS, type Catalogue, type NormalQuery, type StoredItem } from "../../src/domain/catalogue.ts";
import { createDirectoryStore, type DirectoryStore } from "../../src/store/directory-store.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/migrations.ts";
import type { Bounds } from "../../src/store/postgres-catalogue/match.ts";
import { indexTables, readIndexVersion } from "../../src/store/postgres-catalogue/index-tables.ts";
import { BOUNDS, openPostgresCatalogue } from "../../src/store/postgres-catalogue/postgres-catalogue.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { openOracle } from "../support/oracle.ts";
import { randomItems, TAG_LABELS } from "../support/random-items.ts";
import { randomQuery } from "../support/random-queries.ts";
import { seeded, type Random } from "../support/random.ts";
import { collected, storedItem } from "../support/stored-item.ts";

/** The long form has ten thousand. */
const QUERIES = process.env["TEST_LONG"] === undefined ? 200 : 10_000;
const DATA_SETS = [
  { name: "no item at all", seed: 11, count: 0, share: 0.02 },
  { name: "one item", seed: 12, count: 1, share: 0.03 },
  { name: "some dozens", seed: 13, count: 80, share: 0.45 },
  { name: "some hundred", seed: 14, count: 400, share: 0.5 },
];

const stores = { migrations: DIRECTORY_MIGRATIONS, engines: ["PostgreSQL" as const], postgis: true };
forEachEngine<StoreTables>("the catalogue", stores, (_open, { createLocation }) => {
  for (const { name, seed, count, share } of DATA_SETS) {
    test(`gives the results of the oracle and the memory engine over ${name}`, async () => {
      await using location = await createLocation();
      await using database = await location.open();
      const random = seeded(seed);
      const items = randomItems(random, count);
      const catalogue = await publishedCatalogue(database, location, items);
      const [oracle, memory] = [openOracle(items, TAG_LABELS), await openInMemory(items, TAG_LABELS)];
      for (let round = 0; round < QUERIES * share; round++) {
        const { query, facets } = randomQuery(random, items);
        const actual = await answerOf(catalogue, query);
        assert.deepEqual(actual.answer, oracle.search(query), `query ${round}: ${JSON.stringify(query)}`);
        const ours = await answerOf(memory, query);
        assert.deepEqual(actual, ours, `query ${round}: ${JSON.stringify(query)}`);
        assert.deepEqual(
          await catalogue.facets(query, facets),
          await memory.facets(query, facets),
          JSON.stringify(query),
        );
      }
      assert.deepEqual(await catalogue.meta(), await memory.meta());
    });
  }

  test("gives the memory engine's results with lists above a block, a tiny cache and few single measurements", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(15);
    const items = randomItems(random, 5000);
    await publishItems(storeOf(database, location), items);
    const catalogue = await openWith(database, location, { cacheBytes: 1, measuredSingly: 3, sortedThere: 3 });
    const memory = await openInMemory(items, TAG_LABELS);
    for (let round = 0; round < QUERIES / 10; round++) {
      const { query, facets } = randomQuery(random, items);
      const deep = { ...query, offset: random.chance(0.3) ? random.below(5000) : query.offset };
      assert.deepEqual(await answerOf(catalogue, deep), await answerOf(memory, deep), JSON.stringify(deep));
      assert.deepEqual(
        await catalogue.facets(query, facets),
        await memory.facets(query, facets),
        JSON.stringify(query),
      );
    }
  });

  test("gives the oracle's page of a circle, sorted by the database or by this process", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(16);
    // A second item at each location: equal distances are ordered by title.
    const some = randomItems(random, 150);
    const again = some.map(({ item, ...source }) => ({
      ...source,
      sourceId: `${source.sourceId}-again`,
      item: { ...item, slug: `${item.slug}-again` },
    }));
    const items = [...some, ...again];
    const oracle = openOracle(items, TAG_LABELS);
    await publishItems(storeOf(database, location), items);
    const [here, there] = [
      await openWith(database, location, { ...BOUNDS, sortedThere: 0 }),
      await openWith(database, location, BOUNDS),
    ];
    let found = 0;
    for (let round = 0; round < QUERIES; round++) {
      const circle = randomCircle(random, items);
      const expected = oracle.search(circle);
      const actual = await answerOf(there, circle);
      assert.deepEqual(actual.answer, expected, JSON.stringify(circle));
      assert.deepEqual(await answerOf(here, circle), actual, JSON.stringify(circle));
      found += actual.texts.length;
    }
    assert.ok(found > 0);
  });

  test("rejects a circle's page with a missing item", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const catalogue = await publishedCatalogue(database, location, [storedItem({ id: "a" }), storedItem({ id: "b" })]);
    const circle: NormalQuery = { ...EVERYTHING, near: { lat: 46.2, lon: 5.2, radiusKm: 1 }, sort: "distance" };
    assert.equal((await catalogue.search(circle)).hits.length, 2);
    await sql`delete from ${indexTables(location.schema, 1).body} where rank = 1`.execute(database.db);
    await assert.rejects(async () => catalogue.search(circle), /incomplete/);
  });

  test("gives the memory engine's items, streams and suggestions", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(21);
    const items = randomItems(random, 300);
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
    for (const slug of ["musee-1", "musee", "x-10", "ecole-99x", "zzz", "", "a-b--3"]) {
      assert.deepEqual(
        await catalogue.nearestSlugs("place", slug, 3),
        await memory.nearestSlugs("place", slug, 3),
        slug,
      );
    }
    for (let round = 0; round < 30; round++) {
      const { query } = randomQuery(random, items);
      const wide = { ...query, offset: round % 3, limit: 1000 };
      const [theirs, ours] = [await collected(catalogue.stream(wide)), await collected(memory.stream(wide))];
      assert.deepEqual(theirs.map(hitOf), ours.map(hitOf), JSON.stringify(wide));
    }
  });

  test("builds tables with the version, keeps the previous ones for readers, then drops them", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const events: string[] = [];
    const store = storeOf(database, location, events);
    await publishItems(store, [storedItem({ id: "a" })]);
    const source = await store.openSource();
    const current = source.current();
    await publishItems(store, [storedItem({ id: "b" })]);
    await source.refresh();
    assert.equal((await current?.search(EVERYTHING))?.total, 1);
    assert.equal((await source.current()?.search(EVERYTHING))?.total, 2);
    await publishItems(store, [storedItem({ id: "c" })]);
    await source.refresh();
    assert.equal((await source.current()?.search(EVERYTHING))?.total, 3);
    await assert.rejects(database.db.executeQuery(probe(database, location.schema, 1)), /does not exist/);
    await source.close();
    assert.ok(!events.includes("rebuilt"));
  });

  test("rebuilds missing tables from the rows", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const events: string[] = [];
    const store = storeOf(database, location, events);
    await publishItems(store, [storedItem({ id: "a" })]);
    const version = await store.versions.published();
    assert.ok(version !== null);
    await store.engine.distrust(version);
    const source = await store.openSource();
    assert.equal((await source.current()?.search(EVERYTHING))?.total, 1);
    assert.ok(events.includes("rebuilt"));
    await source.close();
  });

  test("rebuilds tables of an older format", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const events: string[] = [];
    const store = storeOf(database, location, events);
    await publishItems(store, [storedItem({ id: "a" })]);
    await sql`alter table ${indexTables(location.schema, 1).point} drop column rank`.execute(database.db);
    await sql`update ${sql.id(`${location.schema}_index`, "ready")} set format = format - 1`.execute(database.db);
    const source = await store.openSource();
    const circle: NormalQuery = { ...EVERYTHING, near: { lat: 46.2, lon: 5.2, radiusKm: 1 }, sort: "distance" };
    assert.equal((await source.current()?.search(circle))?.hits[0]?.distanceKm, 0);
    assert.ok(events.includes("rebuilt"));
    await source.close();
  });

  test("supports words of any length", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const long = "x".repeat(5000);
    const item = storedItem({ id: "a" });
    const items = [{ ...item, item: { ...item.item, description: `${long}a ${long}b` } }];
    const catalogue = await publishedCatalogue(database, location, items);
    assert.equal((await catalogue.search({ ...EVERYTHING, text: "x".repeat(200) })).total, 1);
    assert.equal((await catalogue.search({ ...EVERYTHING, text: `${"x".repeat(199)} ` })).total, 0);
  });
});

const EVERYTHING: NormalQuery = {
  ...NO_FILTERS,
  sort: "title",
  offset: 0,
  limit: 100,
  variant: "all",
};

interface StoreAddress {
  readonly url: string;
  readonly schema: string;
}

function storeOf(
  database: Database<StoreTables>,
  { url, schema }: StoreAddress,
  events: string[] = [],
): DirectoryStore {
  return createDirectoryStore({
    database,
    location: { url, schema },
    dataFolder: "/nowhere",
    engine: "postgres",
    indexBytes: 0,
    report: ({ what }) => events.push(what),
    now: () => 0,
  });
}

async function publishItems(store: DirectoryStore, items: readonly StoredItem[]): Promise<void> {
  await store.publish({
    cause: "test",
    async apply(staging) {
      await staging.upsert(items, 0);
      await staging.upsertLabels(TAG_LABELS.map((label) => ({ ...label, uses: 1 })));
    },
  });
}

async function publishedCatalogue(
  database: Database<StoreTables>,
  location: StoreAddress,
  items: readonly StoredItem[],
): Promise<Catalogue> {
  const store = storeOf(database, location);
  await publishItems(store, items);
  const version = await store.versions.published();
  assert.ok(version !== null);
  return (await store.engine.open(version)).catalogue;
}

/** The published version as opened by the engine, with other bounds. */
async function openWith(database: Database<StoreTables>, location: StoreAddress, bounds: Bounds): Promise<Catalogue> {
  const version = await storeOf(database, location).versions.published();
  assert.ok(version !== null);
  const { contentHash, number } = version;
  const index = await readIndexVersion(database.db, location.schema, { version: number, contentHash });
  assert.ok(index !== null);
  return openPostgresCatalogue({ database, schema: location.schema, version, index, bounds });
}

/** A circle, optionally with filters other than words and tags. */
function randomCircle(random: Random, items: readonly StoredItem[]): NormalQuery {
  for (;;) {
    const { query } = randomQuery(random, items);
    if (query.near !== null) return { ...query, text: null, tags: [], sort: "distance" };
  }
}

async function answerOf(catalogue: Catalogue, query: NormalQuery) {
  const { total, hits, corrected, unknownTags } = await catalogue.search(query);
  return {
    answer: {
      total,
      hits: hits.map(({ type, slug, distanceKm }) => ({ id: `${type}/${slug}`, distanceKm })),
      corrected,
      unknownTags,
    },
    texts: hits.map(({ json }) => Buffer.from(json).toString()),
  };
}

function hitOf({ json, distanceKm }: { json: Uint8Array; distanceKm: number | null }): string {
  return `${Buffer.from(json).toString()} ${distanceKm}`;
}

function probe({ db }: Database<StoreTables>, schema: string, version: number) {
  return sql`select 1 from ${indexTables(schema, version).doc}`.compile(db);
}
