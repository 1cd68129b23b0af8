import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase, sql } from "../src/index.ts";

/** The setting of the writer: queried in a transaction, which only the writer runs. */
async function writerSync(sync?: "full" | "normal"): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-sync-"));
  try {
    const location = { url: `sqlite:${join(folder, "store.db")}`, schema: "s", migrations: [] };
    await using database = await openDatabase<object>({ ...location, ...(sync && { sync }) });
    const { rows } = await database.transaction((tx) => sql<{ synchronous: number }>`pragma synchronous`.execute(tx));
    return rows[0]?.synchronous;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("every commit waits for the disk, unless configured otherwise", async () => {
  assert.deepEqual([await writerSync(), await writerSync("full"), await writerSync("normal")], [2, 2, 1]);
});
