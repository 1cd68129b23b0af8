/**
 * The PostgreSQL engine gives the results of the oracle and the memory engine to the last bit. Only its order of
 * relevance is its own. Requires PostgreSQL with PostGIS.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ITEM_TYPES } from "@triptych/contracts";
import { sql, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import {
  NO_FILTERS,
  type Catalogue,
  type NormalQuery,
  type StoredItem,
  type VersionedItem,
} from "../../src/domain/catalogue.ts";
import { createDirectoryStore, type DirectoryStore } from "../../src/store/directory-store.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { indexTables } from "../../src/store/postgres-catalogue/index-tables.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { openOracle } from "../support/oracle.ts";
import { expectedSuggestions } from "../support/suggest-oracle.ts";
import { suggestWords } from "../../src/domain/suggestions.ts";
import { randomItems, TAG_LABELS } from "../support/random-items.ts";
import { randomQuery } from "../support/random-queries.ts";
import { seeded, type Random } from "../support/random.ts";
import { collected, idOf, slugOf, storedItem } from "../support/stored-item.ts";

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

  test("gives the suggestions of a scan, and more only for typos", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const random = seeded(22);
    const items = consecutive(randomItems(random, 200));
    const catalogue = await publishedCatalogue(database, location, items);
    const words = items.flatMap(({ item }) => suggestWords(`${item.title} ${item.commune?.nom ?? ""}`));
    for (let round = 0; round < 100; round++) {
      const text = Array.from({ length: 1 + random.below(3) }, () => random.pick(words)).join(" ");
      const typed = text.slice(0, 1 + random.below(text.length));
      const query = { text: typed, types: random.some(ITEM_TYPES, 2).sort(), limit: 1 + random.below(20) };
      const { certain } = expectedSuggestions(items, TAG_LABELS, query);
      const found = await catalogue.suggest(query);
      assert.ok(found.length <= query.limit);
      assert.deepEqual(found.slice(0, certain.length), certain, JSON.stringify(query));
    }
    const [first] = await catalogue.suggest({ text: "bibliotheqe", types: [], limit: 1 });
    assert.match(first.text, /biblioth/i, "a typo is corrected");
  });

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

  test("orders by relevance: a word of the title before one of a tag, and both before one of the description", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const filler = "Un texte assez long pour que les mots y soient dispersés";
    const described = storedItem({ id: "a", title: "Alpha" });
    const items = [
      { ...described, item: { ...described.item, description: `${filler} fanfare ${filler}` } },
      storedItem({ id: "b", title: "Beta", tags: ["fanfare"] }),
      storedItem({ id: "c", title: "Fanfare" }),
    ];
    const catalogue = await publishedCatalogue(database, location, items);
    const pages = await Promise.all(
      [0, 1, 2].map((offset) =>
        catalogue.search({ ...EVERYTHING, text: "fanfares", sort: "relevance", offset, limit: 1 }),
      ),
    );
    assert.deepEqual(
      pages.flatMap(({ hits }) => hits.map(slugOf)),
      ["c", "b", "a"],
    );
  });

  test("rejects a page with a missing item", async () => {
    await using location = await createLocation();
    await using database = await location.open();
    const catalogue = await publishedCatalogue(database, location, [storedItem({ id: "a" }), storedItem({ id: "b" })]);
    const circle: NormalQuery = { ...EVERYTHING, near: { lat: 46.2, lon: 5.2, radiusKm: 1 }, sort: "distance" };
    assert.equal((await catalogue.search(circle)).hits.length, 2);
    await database.db.deleteFrom("item").where("source_id", "=", "b").execute();
    await assert.rejects(catalogue.search(circle), /incomplete/);
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
    // As left by a program with other tables.
    const { entry } = indexTables(location.schema, 1);
    await sql`alter table ${entry} rename to ${sql.id("point_1")}`.execute(database.db);
    await sql`update ${sql.id(`${location.schema}_index`, "ready")} set format = format - 1`.execute(database.db);
    const source = await store.openSource();
    const circle: NormalQuery = { ...EVERYTHING, near: { lat: 46.2, lon: 5.2, radiusKm: 1 }, sort: "distance" };
    assert.equal((await source.current()?.search(circle))?.hits[0]?.distanceKm, 0);
    assert.ok(events.includes("rebuilt"));
    const { rows } = await sql<{ name: string }>`
      select tablename::text as name from pg_tables where schemaname = ${`${location.schema}_index`}`.execute(
      database.db,
    );
    assert.deepEqual(rows.map(({ name }) => name).sort(), ["commune_1", "entry_1", "ready", "suggestion_1", "word_1"]);
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
    assert.equal((await catalogue.search({ ...EVERYTHING, text: `${"x".repeat(199)} `, strict: true })).total, 0);
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

/** Each version has items, because a publication without changes makes none. */
function consecutive(items: readonly VersionedItem[]): VersionedItem[] {
  const versions = [...new Set(items.map(({ fromVersion }) => fromVersion))].sort((a, b) => a - b);
  return items.map((item) => ({ ...item, fromVersion: versions.indexOf(item.fromVersion) + 1 }));
}

async function publishItems(store: DirectoryStore, items: readonly IndexedItems[]): Promise<void> {
  const last = Math.max(1, ...items.map(({ fromVersion = 1 }) => fromVersion));
  for (let version = 1; version <= last; version++)
    await store.publish({
      cause: "test",
      async apply(staging) {
        await staging.upsert(
          items.filter(({ fromVersion = 1 }) => fromVersion === version),
          0,
        );
        await staging.upsertLabels(TAG_LABELS.map((label) => ({ ...label, uses: 1 })));
      },
    });
}

type IndexedItems = StoredItem & Partial<VersionedItem>;

async function publishedCatalogue(
  database: Database<StoreTables>,
  location: StoreAddress,
  items: readonly IndexedItems[],
): Promise<Catalogue> {
  const store = storeOf(database, location);
  await publishItems(store, items);
  const version = await store.versions.published();
  assert.ok(version !== null);
  return (await store.engine.open(version)).catalogue;
}

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

function probe({ db }: Database<StoreTables>, schema: string, version: number) {
  return sql`select 1 from ${indexTables(schema, version).entry}`.compile(db);
}
