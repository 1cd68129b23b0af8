/** What only the PostgreSQL engine does: suggestions, order of relevance, tables. Requires PostgreSQL with PostGIS. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ITEM_TYPES } from "@triptych/contracts";
import { sql, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import type { NormalQuery } from "../../src/domain/catalogue.ts";
import { suggestWords } from "../../src/domain/suggestions.ts";
import { indexTables } from "../../src/store/postgres-catalogue/index-tables.ts";
import type { StoreTables } from "../../src/store/tables.ts";
import {
  consecutive,
  EVERYTHING,
  POSTGRES,
  publishedCatalogue,
  publishItems,
  storeOf,
} from "../support/publish-to-postgres.ts";
import { randomItems, TAG_LABELS } from "../support/random-items.ts";
import { seeded } from "../support/random.ts";
import { slugOf, storedItem } from "../support/stored-item.ts";
import { expectedSuggestions } from "../support/suggest-oracle.ts";

forEachEngine<StoreTables>("the catalogue", POSTGRES, (_open, { createLocation }) => {
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
    // Like an index that a program with other tables has left behind.
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

function probe({ db }: Database<StoreTables>, schema: string, version: number) {
  return sql`select 1 from ${indexTables(schema, version).entry}`.compile(db);
}
