/** Nodes of two versions on one store, during a rolling upgrade. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { openDatabase, sql } from "@triptych/storage";
import { PANEL_MIGRATIONS, PANEL_SCHEMA } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { openRun, take } from "../support/channel-run.ts";
import { createChannelFixture } from "../support/create-channel-fixture.ts";

test("works on a store where a newer version has added columns and tables", async () => {
  await using database = await openDatabase<PanelTables>({
    url: "sqlite::memory:",
    schema: PANEL_SCHEMA,
    migrations: PANEL_MIGRATIONS,
  });
  await using fixture = await createChannelFixture({ database });
  const before = await openRun(fixture);
  const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(database.db);
  for (const { name } of tables.rows.filter((table) => !table.name.startsWith("sqlite_")))
    await sql`alter table ${sql.table(name)} add column of_tomorrow text default 'x'`.execute(database.db);
  await sql`create table of_tomorrow (id text primary key) strict`.execute(database.db);
  const worker = await fixture.join(before.key);
  const run = await before.start({ focus: "Work on" });
  const lease = await take(worker);
  assert.equal(lease.run_id, run.id);
  assert.equal((await before.is(run.id, "preparing", 1)).focus, "Work on");
  assert.equal((await fixture.ask(before.token, "GET", "/api/runs")).status, 200);
  assert.deepEqual(fixture.errors, []);
});

/** Migrations up to this one predate any older node. */
const FIRST_RELEASE = 8;
/** Statements that would break an older node. */
const TAKES_AWAY =
  /\b(?:drop|rename|truncate)\b|\balter\s+column\b|\badd\s+column\b(?![^;]*\bdefault\b)[^;]*\bnot\s+null\b/i;

test("removes nothing in migrations that an older node reads or writes", () => {
  assert.ok(TAKES_AWAY.test("alter table run add column x text not null;"));
  assert.ok(!TAKES_AWAY.test("alter table run add column x text not null default '';"));
  for (const engine of ["sqlite", "postgres"]) {
    const folder = new URL(`../../migrations/${engine}/`, import.meta.url);
    for (const name of readdirSync(folder).filter((file) => Number.parseInt(file, 10) > FIRST_RELEASE))
      assert.doesNotMatch(readFileSync(new URL(name, folder), "utf8"), TAKES_AWAY, `${engine}/${name}`);
  }
});
