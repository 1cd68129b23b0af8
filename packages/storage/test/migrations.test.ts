/** Applying migrations, and stores that are rejected. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Database, type MigrationSource, sql } from "../src/index.ts";
import { forEachEngine } from "../src/testing/index.ts";
import { runChild } from "./children/run-child.ts";
import { migrations } from "./tables.ts";

forEachEngine<unknown>("migrations", { migrations }, (open, stores) => {
  // Tests of several openings do not apply to a store that can be opened only once.
  const onShared = stores.shared ? test : skipTest;
  const onConcurrent = stores.concurrent ? test : skipTest;

  test("are applied in order, once, and recorded", async () => {
    await using database = await open();
    const { rows } = await sql<Applied>`select * from triptych_migration order by number`.execute(database.db);

    assert.deepEqual(
      rows.map(({ component, number, name }) => ({ component, number, name })),
      [
        { component: "bank", number: 1, name: "first-tables" },
        { component: "bank", number: 2, name: "tree" },
      ],
    );
    for (const { checksum, applied_at: at } of rows) {
      assert.match(checksum, /^[0-9a-f]{64}$/);
      assert.ok(Math.abs(Date.now() - at) < 600_000);
    }
  });

  test("of several components can share a store", async () => {
    await using sources = await createSources({
      one: { "0001-a.sql": "create table a (x integer)" },
      two: { "0001-b.sql": "create table b (x integer)" },
    });
    await using location = await stores.createLocation();
    await using database = await location.open({ migrations: sources.list });

    assert.deepEqual(await appliedTo(database), ["one/1", "two/1"]);
  });

  onShared("are applied to a store that has only the earlier ones", async () => {
    await using location = await stores.createLocation();
    await using sources = await createSources({ one: { "0001-a.sql": "create table a (x integer)" } });
    await (await location.open({ migrations: sources.list })).close();
    await sources.write("one", "0002-b.sql", "create table b (x integer); insert into b (x) values (1)");
    await using database = await location.open({ migrations: sources.list });

    assert.deepEqual((await sql`select x from b`.execute(database.db)).rows, [{ x: 1 }]);
  });

  onShared("that fail are rolled back and named in the error, and can be applied after a correction", async () => {
    await using location = await stores.createLocation();
    await using sources = await createSources({
      one: {
        "0001-a.sql": "create table a (x integer)",
        "0002-b.sql": "create table b (x integer); select nonsense",
      },
    });
    await assert.rejects(
      location.open({ migrations: sources.list }),
      /Migration one\/2 \(b\) failed and was rolled back/,
    );
    await sources.write("one", "0002-b.sql", "create table b (x integer)");
    await using database = await location.open({ migrations: sources.list });

    assert.deepEqual(await appliedTo(database), ["one/1", "one/2"]);
  });

  onShared(
    "that were modified after they were applied are rejected by name, but line endings do not matter",
    async () => {
      await using location = await stores.createLocation();
      await using sources = await createSources({ one: { "0001-a.sql": "create table a\n(x integer)" } });
      await (await location.open({ migrations: sources.list })).close();
      await sources.write("one", "0001-a.sql", "create table a\r\n(x integer)");
      await (await location.open({ migrations: sources.list })).close();
      await sources.write("one", "0001-a.sql", "create table a\n(y integer)");

      await assert.rejects(
        location.open({ migrations: sources.list }),
        /one\/1 \(a\) was modified after it was applied/,
      );
    },
  );

  onShared("of a newer version are rejected, also for reading", async () => {
    await using location = await stores.createLocation();
    await using newer = await createSources({
      one: { "0001-a.sql": "create table a (x integer)", "0002-b.sql": "create table b (x integer)" },
    });
    await using older = await createSources({ one: { "0001-a.sql": "create table a (x integer)" } });
    await (await location.open({ migrations: newer.list })).close();

    await assert.rejects(
      location.open({ migrations: older.list }),
      /one\/2, which this version does not know: a newer version created it/,
    );
    await assert.rejects(location.open({ migrations: older.list, readOnly: true }), /a newer version created it/);
  });

  onShared("are not applied by a read-only opening, which reports them", async () => {
    await using location = await stores.createLocation();
    await using sources = await createSources({ one: { "0001-a.sql": "create table a (x integer)" } });
    await (await location.open({ migrations: sources.list })).close();
    await sources.write("one", "0002-b.sql", "create table b (x integer)");

    await assert.rejects(location.open({ migrations: sources.list, readOnly: true }), /has pending migrations/);
  });

  test("with gaps in their numbers or invalid names are rejected before any is applied", async () => {
    await using gap = await createSources({
      one: { "0001-a.sql": "create table a (x integer)", "0003-c.sql": "create table c (x integer)" },
    });
    await using odd = await createSources({ one: { "1-a.sql": "create table a (x integer)" } });
    await using location = await stores.createLocation();

    await assert.rejects(location.open({ migrations: gap.list }), /without gaps; 0003-c\.sql is at position 2/);
    await assert.rejects(location.open({ migrations: odd.list }), /must be named like 0001-what-it-does\.sql/);
  });

  onShared("are applied once by concurrent openings", async () => {
    await using location = await stores.createLocation();
    const databases = await Promise.all([location.open(), location.open(), location.open()]);
    const [first] = databases;
    const applied = first === undefined ? [] : await appliedTo(first);
    await Promise.all(databases.map((database) => database.close()));

    assert.deepEqual(applied, ["bank/1", "bank/2"]);
  });

  onConcurrent("are applied once by processes that start together", async () => {
    await using location = await stores.createLocation();
    const children = [1, 2, 3].map(() => runChild("open-store", location.url, location.schema));
    const ends = await Promise.all(children.map(({ ended }) => ended));

    assert.deepEqual(
      ends.map(({ code, output, errors }) => ({ code, output, errors })),
      ends.map(() => ({ code: 0, output: "1 2\n", errors: "" })),
    );
  });
});

interface Applied {
  readonly component: string;
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly applied_at: number;
}

async function appliedTo(database: Database<unknown>): Promise<string[]> {
  const { rows } = await sql<Applied>`select * from triptych_migration order by component, number`.execute(database.db);
  return rows.map(({ component, number }) => `${component}/${number}`);
}

interface Sources extends AsyncDisposable {
  readonly list: readonly MigrationSource[];
  write(component: string, name: string, text: string): Promise<void>;
}

/** Migrations in a temporary folder, the same text for both engines. */
async function createSources(components: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<Sources> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-migrations-"));
  const write = async (component: string, name: string, text: string): Promise<void> => {
    for (const engine of ["sqlite", "postgres"]) {
      await mkdir(join(folder, component, engine), { recursive: true });
      await writeFile(join(folder, component, engine, name), text);
    }
  };
  for (const [component, files] of Object.entries(components)) {
    for (const [name, text] of Object.entries(files)) await write(component, name, text);
  }
  return {
    list: Object.keys(components).map((component) => ({
      component,
      directory: pathToFileURL(join(folder, component)),
    })),
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function skipTest(_name: string, _body: () => Promise<void>): void {}
