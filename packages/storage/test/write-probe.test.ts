import assert from "node:assert/strict";
import { test } from "node:test";
import { createWriteProbe, sql } from "../src/index.ts";
import { describeTables } from "../src/transfer/describe-tables.ts";
import { forEachEngine } from "../src/testing/index.ts";
import { migrations, type Tables } from "./tables.ts";

forEachEngine<Tables>("the write probe", { migrations }, (open) => {
  test("commits at most one row per second, shared by concurrent callers", async () => {
    await using database = await open();
    let now = 0;
    const probe = createWriteProbe(database, () => now);
    const probedAt = async () => {
      const { rows } = await sql<{ probed_at: number }>`select probed_at from triptych_write_probe`.execute(
        database.db,
      );
      return rows.map(({ probed_at }) => probed_at);
    };
    assert.deepEqual(await Promise.all([probe(), probe(), probe()]), [null, null, null]);
    assert.equal((await probedAt()).length, 1);
    await sql`update triptych_write_probe set probed_at = 0`.execute(database.db);
    now = 999;
    await probe();
    assert.deepEqual(await probedAt(), [0]);
    now = 1000;
    await probe();
    assert.notDeepEqual(await probedAt(), [0]);
  });

  test("adds no table to a copy of the store", async () => {
    await using database = await open();
    await createWriteProbe(database)();
    const { engine, db } = database;
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`
      .execute(db)
      .catch(() => ({ rows: [{ schema: "main" }] }));
    const shapes = await describeTables(db, { engine, schema: rows[0]?.schema ?? "main" });
    assert.ok(shapes.every(({ name }) => name !== "triptych_write_probe"));
  });
});
