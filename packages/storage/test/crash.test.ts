/** State after a process is killed while writing. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openDatabase, sql } from "../src/index.ts";
import { runChild } from "./children/run-child.ts";
import { migrations, type Tables } from "./tables.ts";

const ROUNDS = 6;

describe("an SQLite file whose process was killed", () => {
  test("contains every acknowledged write, only complete transactions, and accepts new writes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "triptych-crash-"));
    const url = `sqlite:${join(folder, "store.db")}`;
    try {
      const acknowledged: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        acknowledged.push(...(await writeUntilKilled(url, { prefix: `r${round}-`, atLeast: 10 + round * 37 })));
        const { found, halves } = await inspect(url);
        const lost = acknowledged.filter((id) => !found.has(id));
        assert.deepEqual({ lost, halves }, { lost: [], halves: 0 }, `round ${round}`);
      }
      assert.ok(acknowledged.length >= 10 * ROUNDS);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Kills the writer after it has printed this many IDs; returns all printed IDs. */
async function writeUntilKilled(
  url: string,
  { prefix, atLeast }: { prefix: string; atLeast: number },
): Promise<string[]> {
  const child = runChild("write-forever", url, prefix);
  let lineCount = 0;
  for await (const _ of child.lines) {
    lineCount += 1;
    if (lineCount === atLeast) child.process.kill("SIGKILL");
  }
  const { output, errors } = await child.ended;
  assert.equal(errors, "");
  // The kill may have cut the last line.
  return output.split("\n").slice(0, -1);
}

async function inspect(url: string): Promise<{ found: ReadonlySet<string>; halves: number }> {
  await using database = await openDatabase<Tables>({ url, schema: "crash", migrations });
  const accounts = await database.db.selectFrom("account").select("id").execute();
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from account left join movement on account_id = id where number is null`.execute(database.db);
  const { rows: checks } = await sql`pragma integrity_check`.execute(database.db);
  assert.deepEqual(checks, [{ integrity_check: "ok" }]);
  return { found: new Set(accounts.map(({ id }) => id)), halves: rows[0]?.n ?? -1 };
}
