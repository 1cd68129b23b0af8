/** A single connection: prepared statements and value conversion. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openConnection } from "../src/sqlite/connection.ts";

test("a prepared statement returns a column that another connection added", async () => {
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

test("strict tables convert inserted numbers to column types without rounding", () => {
  const connection = openConnection(":memory:", "memory");
  const sql = "create table t (a integer not null check (a in (0, 1)), b integer, c real, d text) strict";
  connection.run({ sql, parameters: [] });
  const t = connection.prepare("insert into t (a, b, c, d) values (?, ?, ?, ?)");
  t.insert(1, Number.MAX_SAFE_INTEGER, 0.5, "x");
  t.insert(0, null, 2, "y");
  assert.throws(() => t.insert(0, 0.5, 2, "y"), /cannot store REAL value in INTEGER column/);
  assert.throws(() => t.insert(2, 1, 2, "y"), /CHECK/);
  const found = connection.run({
    sql: "select typeof(a) as of_a, a, typeof(b) as of_b, b, c, d from t",
    parameters: [],
  });
  assert.deepEqual(found.rows, [
    { of_a: "integer", a: 1, of_b: "integer", b: Number.MAX_SAFE_INTEGER, c: 0.5, d: "x" },
    { of_a: "integer", a: 0, of_b: "null", b: null, c: 2, d: "y" },
  ]);
  connection.close();
});
