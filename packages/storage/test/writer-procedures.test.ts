/** Procedures: atomic, serialized, one message each. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Procedures } from "../src/index.ts";
import { forEachEngine } from "../src/testing/index.ts";
import { account, migrations, type Tables } from "./tables.ts";

const module = new URL("./children/bank-procedures.ts", import.meta.url);
const engines = ["SQLite in memory", "a SQLite file"] as const;

forEachEngine<Tables>("a procedure", { migrations, engines }, (open) => {
  test("runs its own statements and returns a result", async () => {
    await using database = await open();
    const bank = bankOf(database.procedures);
    assert.deepEqual(await bank("openAll", ["a", "b"]), [1, 1]);

    assert.deepEqual(await bank("move", { from: "a", to: "b", amount: 3 }), { left: 4, missing: undefined });
    const rows = await database.db.selectFrom("account").select(["id", "balance"]).orderBy("id").execute();
    assert.deepEqual(rows, [
      { id: "a", balance: 4 },
      { id: "b", balance: 10 },
    ]);
  });

  test("that fails leaves no changes, and its error names the cause", async () => {
    await using database = await open();
    const bank = bankOf(database.procedures);
    await bank("openAll", ["b"]);

    await assert.rejects(bank("move", { from: "a", to: "b", amount: 3 }), { message: "there is no account a" });
    await assert.rejects(bank("openAll", ["c", "b"]), { name: "SqliteError", errcode: 1555 });
    assert.deepEqual(await bank("ids", null), ["b"]);
    const row = await database.db.selectFrom("account").select("balance").executeTakeFirstOrThrow();
    assert.equal(row.balance, 7);
  });

  test("that fails in a group does not affect the other jobs", async () => {
    await using database = await open();
    const bank = bankOf(database.procedures);
    const outcomes = await Promise.allSettled([
      bank("openAll", ["a"]),
      bank("openAll", ["b", "a"]),
      bank("openAll", ["c"]),
      database.db.insertInto("account").values(account("d")).execute(),
    ]);

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled", "fulfilled"],
    );
    assert.deepEqual(await bank("ids", null), ["a", "c", "d"]);
  });

  test("with an unknown name or module is rejected with that name", async () => {
    await using database = await open();
    const { procedures } = database;
    const elsewhere = new URL("./children/nowhere.ts", import.meta.url);
    const nothing = new URL("./tables.ts", import.meta.url);

    await assert.rejects(bankOf(procedures)("close", null), /bank-procedures\.ts has no procedure close/);
    await assert.rejects(procedures?.call({ module: elsewhere, name: "ids" }, null) ?? never(), /nowhere\.ts/);
    await assert.rejects(procedures?.call({ module: nothing, name: "ids" }, null) ?? never(), /named procedures/);
  });

  test("cannot be called inside a transaction, where it would deadlock", async () => {
    await using database = await open();
    const called = database.transaction(async (tx) => {
      await tx.insertInto("account").values(account("a")).execute();
      await bankOf(database.procedures)("ids", null);
    });

    await assert.rejects(called, { name: "StoreError", code: "nested" });
  });
});

forEachEngine<Tables>("a store without procedures", { migrations, engines: ["PGlite", "PostgreSQL"] }, (open) => {
  test("reports that it has none", async () => {
    await using database = await open();
    assert.equal(database.procedures, null);
  });
});

function bankOf(procedures: Procedures | null) {
  return (name: string, input: unknown): Promise<unknown> => procedures?.call({ module, name }, input) ?? never();
}

function never(): Promise<never> {
  return Promise.reject(new Error("this store has no procedures"));
}
