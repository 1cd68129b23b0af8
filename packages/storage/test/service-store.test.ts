/** The store of one service, in a data folder or in PostgreSQL. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createServiceStore, locationOf } from "../src/index.ts";
import { account, migrations, type Tables } from "./tables.ts";

const bank = createServiceStore<Tables>({ name: "bank", migrations, transient: ["movement"], isExclusive: true });
const onProgress = () => undefined;

describe("the store of a service", () => {
  test("is a file in the data folder, or a schema of the given PostgreSQL database", () => {
    assert.deepEqual(bank.addressOf(locationOf("/data")), { url: "sqlite:/data/bank.db", schema: "bank" });
    assert.deepEqual(bank.addressOf(locationOf("postgres://host/name")), {
      url: "postgres://host/name",
      schema: "bank",
    });
  });

  test("is created with its folder, and copied without its transient tables", async () => {
    await using folders = await createFolders();
    await fill(folders.from);
    const copied = await bank.copy({ ...folders, onProgress });

    assert.deepEqual(
      copied.filter(({ rows }) => rows > 0),
      [{ table: "account", rows: 1 }],
    );
    await using database = await bank.open(locationOf(folders.to), { readOnly: true });
    assert.deepEqual(await database.db.selectFrom("account").select("id").execute(), [{ id: "a" }]);
    assert.deepEqual(await database.db.selectFrom("movement").selectAll().execute(), []);
  });

  test("copies nothing from a folder without a store, and creates none", async () => {
    await using folders = await createFolders();
    assert.deepEqual(await bank.copy({ ...folders, onProgress }, () => assert.fail("must not prepare")), []);
    assert.deepEqual(await readdir(folders.root), []);
  });

  test("refuses a copy while a process uses the store, before anything is prepared", async () => {
    await using folders = await createFolders();
    await fill(folders.from);
    await using _running = await bank.lock(locationOf(folders.from));

    const copying = bank.copy({ ...folders, onProgress }, () => assert.fail("prepared"));
    await assert.rejects(copying, { name: "FileLockHeldError" });
  });

  test("has no lock on PostgreSQL", async () => {
    assert.equal(await bank.lock(locationOf("postgres://host/name")), null);
  });
});

async function createFolders() {
  const root = await mkdtemp(join(tmpdir(), "triptych-service-store-"));
  return {
    root,
    from: join(root, "from"),
    to: join(root, "to"),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function fill(folder: string): Promise<void> {
  await using database = await bank.open(locationOf(folder));
  await database.db.insertInto("account").values(account("a")).execute();
  await database.db.insertInto("movement").values({ account_id: "a", amount: 1 }).execute();
}
