/**
 * A copy that starts from a full export and applies `since` answers ends with exactly the items of a new full export.
 * The long form runs two hundred random sequences.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { runSequence, type SequenceCounts } from "../support/change-sequences.ts";
import { openDirectory } from "../support/open-directory.ts";
import { seeded } from "../support/random.ts";

const isLong = process.env["TEST_LONG"] !== undefined;

async function runSequences(count: number, open: (seed: number) => ReturnType<typeof openDirectory>): Promise<void> {
  const counts: SequenceCounts = { synced: 0, gone: 0, tombstones: 0 };
  for (let seed = 1; seed <= count; seed++) {
    await using directory = await open(seed);
    await runSequence(directory, seeded(seed), counts);
  }
  // Guards against sequences without changes, which prove nothing.
  assert.ok(counts.synced >= count, `only ${counts.synced} answers with changes`);
  assert.ok(counts.tombstones >= count, `only ${counts.tombstones} tombstones`);
}

test("copies equal a full export after any sequence of publications", () =>
  runSequences(isLong ? 200 : 5, () => openDirectory()));

forEachEngine<StoreTables>("the change log", { migrations: DIRECTORY_MIGRATIONS }, (open) => {
  test("gives copies that equal a full export", () =>
    runSequences(isLong ? 10 : 1, async () => openDirectory({ database: await open() })));
});

const withPostgis = { migrations: DIRECTORY_MIGRATIONS, engines: ["PostgreSQL" as const], postgis: true };
forEachEngine<StoreTables>("the PostgreSQL engine", withPostgis, (_open, { createLocation }) => {
  test("gives copies that equal a full export", async () => {
    await using opened = new AsyncDisposableStack();
    await runSequences(isLong ? 10 : 1, async () => {
      const location = opened.use(await createLocation());
      const { url, schema } = location;
      return openDirectory({ database: await location.open(), engine: "postgres", location: { url, schema } });
    });
  });
});
