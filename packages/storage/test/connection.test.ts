/** One connection by itself: what a prepared statement may keep. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openConnection } from "../src/sqlite/connection.ts";

test("a column that another connection adds is named in the next row of a statement that was prepared before", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "connection-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  const writer = stack.adopt(openConnection(path, "writer"), (connection) => connection.close());
  writer.run({ sql: "create table t (a integer); insert into t values (1)", parameters: [], script: true });
  const reader = stack.adopt(openConnection(path, "reader"), (connection) => connection.close());
  const all = () => reader.run({ sql: "select * from t", parameters: [] }).rows;

  assert.deepEqual(all(), [{ a: 1 }]);
  writer.run({ sql: "alter table t add column b text default 'new'", parameters: [], script: true });
  assert.deepEqual(all(), [{ a: 1, b: "new" }]);
});
