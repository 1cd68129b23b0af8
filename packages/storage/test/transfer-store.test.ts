/** Copying a store to the other engine. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type CopyProgress, copyStore, type Database, insertMany } from "../src/index.ts";
import { holdsStore } from "../src/transfer/transfer-store.ts";
import { forEachEngine, type StoreLocation, type StoresUnderTest } from "../src/testing/index.ts";
import { account, migrations, type Tables } from "./tables.ts";

type Stores = StoresUnderTest<Tables>;
const seen: Stores[] = [];

forEachEngine<Tables>("a copy", { migrations, engines: ["a SQLite file", "PostgreSQL"] }, (_open, stores) => {
  seen.push(stores);

  test("rejects a target with rows, and leaves them unchanged", async () => {
    await using from = await stores.createLocation();
    await using to = await stores.createLocation();
    await fill(from);
    await using target = await to.open();
    await target.db.insertInto("account").values(account("kept")).execute();

    await assert.rejects(copy(from, to), /The target is in use: account contains 1 rows/);
    assert.deepEqual(await target.db.selectFrom("account").select("id").execute(), [{ id: "kept" }]);
  });

  test("rejects a source with pending migrations", async () => {
    await using from = await stores.createLocation();
    await using to = await stores.createLocation();
    await using source = await from.open({
      migrations: [{ component: "other", directory: new URL("./seeded/", import.meta.url) }],
    });

    await assert.rejects(copy(from, to), /newer version|lacks migrations/);
    await source.close();
  });

  test("detects whether a location has a store of the service, and creates none", async () => {
    await using location = await stores.createLocation();
    const { url, schema } = location;
    for (let time = 0; time < 2; time++) assert.equal(await holdsStore({ url, schema }), false);
    await (await location.open()).close();
    assert.equal(await holdsStore({ url, schema }), true);
    // A store of another service in the same database.
    if (url.startsWith("postgres")) assert.equal(await holdsStore({ url, schema: "nobody" }), false);
  });

  test("that fails leaves the target empty, and can be repeated", async () => {
    await using from = await stores.createLocation();
    await using to = await stores.createLocation();
    await fill(from);
    const breaking = copy(from, to, (progress) => {
      if (progress.table === "movement") throw new Error("the disk is full");
    });

    await assert.rejects(breaking, (error) => error instanceof Error && /nothing was stored/.test(error.message));
    await using target = await to.open();
    assert.deepEqual(await target.db.selectFrom("account").select("id").execute(), []);
    await target.close();
    await copy(from, to);
  });

  test("replaces the rows that migrations of the target inserted", async () => {
    const seeded = [{ component: "seeded", directory: new URL("./seeded/", import.meta.url) }];
    await using from = await stores.createLocation();
    await using to = await stores.createLocation();
    await using source = await from.open({ migrations: seeded });
    await source.db.updateTable("branch").set({ id: "renamed" }).where("id", "=", "root").execute();
    await copyStore({ ...ends(from, to), migrations: seeded });

    await using target = await to.open({ migrations: seeded });
    assert.deepEqual(await target.db.selectFrom("branch").select("id").execute(), [{ id: "renamed" }]);
  });
});

describe("a copy", () => {
  for (const [fromName, toName] of [
    ["a SQLite file", "PostgreSQL"],
    ["PostgreSQL", "a SQLite file"],
    ["a SQLite file", "a SQLite file"],
  ] as const) {
    // Short runs omit PostgreSQL.
    const skip = [fromName, toName].some((engine) => !seen.some(({ name }) => name === engine));
    test(`from ${fromName} to ${toName} copies every row, tree and counter`, { skip }, async () => {
      const from = seen.find(({ name }) => name === fromName);
      const to = seen.find(({ name }) => name === toName);
      assert.ok(from !== undefined && to !== undefined, "skipped otherwise");
      await using source = await from.createLocation();
      await using target = await to.createLocation();
      const written = await fill(source);
      const progress: CopyProgress[] = [];
      const copied = await copy(source, target, (step) => progress.push(step));

      assert.deepEqual(
        copied.toSorted((one, other) => one.table.localeCompare(other.table)),
        [
          { table: "account", rows: 2_500 },
          { table: "branch", rows: 3 },
          { table: "movement", rows: 1 },
        ],
      );
      assert.deepEqual(
        progress.filter(({ table }) => table === "account").map((step) => step.copied),
        [1_000, 2_000, 2_500],
      );
      await using database = await target.open();
      assert.deepEqual(await readAll(database), written);
      const next = await database.db
        .insertInto("movement")
        .values({ account_id: "a1", amount: 1 })
        .returning("number")
        .executeTakeFirstOrThrow();
      assert.equal(next.number, 4, "the numbers of deleted rows are not reused");
      await assert.rejects(database.db.insertInto("branch").values({ id: "x", parent_id: "none" }).execute());
    });
  }
});

/** A store with all kinds of values, a tree whose children were written first, and a counter ahead of its table. */
async function fill(location: StoreLocation<Tables>): Promise<unknown> {
  await using database = await location.open();
  const rows = Array.from({ length: 2_500 }, (_, n) => ({
    id: `a${n}`,
    balance: n * 1_000_000_007,
    note: n % 2 === 0 ? null : `{"é":"${n}"}`,
    weight: n / 7,
    seal: new Uint8Array([n % 256, 0, 255]),
  }));
  await insertMany(database.db, "account", rows);
  for (const amount of [5, 6, 7])
    await database.db.insertInto("movement").values({ account_id: "a1", amount }).execute();
  await database.db.deleteFrom("movement").where("amount", ">", 5).execute();
  await database.db.insertInto("branch").values({ id: "z", parent_id: null }).execute();
  await database.db.insertInto("branch").values({ id: "m", parent_id: "z" }).execute();
  await database.db.insertInto("branch").values({ id: "a", parent_id: "m" }).execute();
  await database.db.updateTable("branch").set({ parent_id: "a" }).where("id", "=", "z").execute();
  return await readAll(database);
}

async function readAll({ db }: Database<Tables>): Promise<unknown> {
  return [
    await db.selectFrom("account").selectAll().orderBy("balance").execute(),
    await db.selectFrom("movement").selectAll().execute(),
    await db.selectFrom("branch").selectAll().orderBy("id").execute(),
  ];
}

function copy(from: StoreLocation<Tables>, to: StoreLocation<Tables>, onProgress?: (progress: CopyProgress) => void) {
  return copyStore({ ...ends(from, to), migrations, ...(onProgress === undefined ? {} : { onProgress }) });
}

function ends(from: StoreLocation<Tables>, to: StoreLocation<Tables>) {
  return { from: { url: from.url, schema: from.schema }, to: { url: to.url, schema: to.schema } };
}
