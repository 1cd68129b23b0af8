import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { backupSqlite, integrityIssues } from "../../src/index.ts";

test("copies one point in time, and finishes even if another connection writes between all steps", async () => {
  await using folder = await createFolder();
  const writer = new DatabaseSync(folder.from);
  writer.exec("pragma journal_mode = wal; pragma synchronous = off; create table line (content text) strict");
  const insert = writer.prepare("insert into line values (?)");
  writer.exec("begin");
  for (let index = 0; index < 5_000; index++) insert.run("x".repeat(4_000));
  writer.exec("commit");

  let steps = 0;
  await backupSqlite(folder.from, folder.to, () => {
    steps++;
    insert.run("later");
  });
  writer.close();
  assert.ok(steps > 1);
  assert.deepEqual(integrityIssues(folder.to), []);
  const copy = new DatabaseSync(folder.to, { readOnly: true });
  assert.equal(copy.prepare("select count(*) as n from line").get()?.["n"], 5_000);
  copy.close();
  assert.ok((await readdir(folder.path)).every((name) => !name.startsWith("to.db-")));
});

test("reports the damage in a file", async () => {
  await using folder = await createFolder();
  assert.equal(integrityIssues(join(folder.path, "absent.db")).length, 1);
  await assert.rejects(backupSqlite(join(folder.path, "absent.db"), folder.to), { code: "ENOENT" });
});

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), "triptych-backup-"));
  return {
    path,
    from: join(path, "from.db"),
    to: join(path, "to.db"),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
