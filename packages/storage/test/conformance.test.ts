/** Behavior common to all engines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, insertMany, isCheckViolation, isForeignKeyViolation, isUniqueViolation, sql } from "../src/index.ts";
import { forEachEngine } from "../src/testing/index.ts";
import { account, migrations, type Tables } from "./tables.ts";

forEachEngine<Tables>("a store", { migrations }, (open, stores) => {
  // Tests of several openings do not apply to a store that can be opened only once.
  const onShared = stores.shared ? test : skipTest;
  const onConcurrent = stores.concurrent ? test : skipTest;

  test("returns text, integers, reals, bytes and null unchanged", async () => {
    await using database = await open();
    const rows = [
      {
        id: "é\u{1F600}'\"",
        balance: Number.MAX_SAFE_INTEGER,
        note: '{"a":1}',
        weight: 0.1,
        seal: new Uint8Array([0, 255, 7]),
      },
      { id: "", balance: 0, note: null, weight: -1.5e300, seal: new Uint8Array(0) },
      { id: "whole", balance: 1_700_000_000_123, note: "", weight: 5, seal: null },
    ];
    await database.db.insertInto("account").values(rows).execute();

    const found = await database.db.selectFrom("account").selectAll().orderBy("balance").execute();
    assert.deepEqual(
      found,
      rows.toSorted((one, other) => one.balance - other.balance),
    );
  });

  test("stores only the bytes of a Buffer that is a slice of a larger one", async () => {
    await using database = await open();
    await database.db
      .insertInto("account")
      .values({ ...account("a"), seal: Buffer.from("seal") })
      .execute();

    const { seal } = await database.db.selectFrom("account").select("seal").executeTakeFirstOrThrow();
    assert.deepEqual(seal, new Uint8Array([115, 101, 97, 108]));
  });

  test("counts and sums are numbers, and integers divide as integers", async () => {
    await using database = await open();
    await insertMany(database.db, "account", [account("a", 5), account("b", 8)]);

    const { rows } =
      await sql`select count(*) as n, sum(balance) as total, max(balance) / 3 as third from account`.execute(
        database.db,
      );
    assert.deepEqual(rows, [{ n: 2, total: 13, third: 2 }]);
  });

  test("an integer beyond 2^53 is an error, never a wrong number", async () => {
    await using database = await open();
    await assert.rejects(sql`select 9007199254740993 as big`.execute(database.db), /too large|beyond 2\^53/);
  });

  test("inserts, updates and deletes return the number of changed rows", async () => {
    await using database = await open();
    const inserted = await database.db
      .insertInto("account")
      .values([account("a"), account("b")])
      .executeTakeFirst();
    const updated = await database.db.updateTable("account").set({ balance: 3 }).executeTakeFirst();
    const none = await database.db.updateTable("account").set({ balance: 3 }).where("id", "=", "c").executeTakeFirst();
    const deleted = await database.db.deleteFrom("account").where("id", "=", "a").executeTakeFirst();

    assert.deepEqual(
      [inserted.numInsertedOrUpdatedRows, updated.numUpdatedRows, none.numUpdatedRows, deleted.numDeletedRows],
      [2n, 2n, 0n, 1n],
    );
  });

  test("returns the rows of `returning`", async () => {
    await using database = await open();
    await database.db.insertInto("account").values(account("a")).execute();
    const { number } = await database.db
      .insertInto("movement")
      .values({ account_id: "a", amount: 4 })
      .returning("number")
      .executeTakeFirstOrThrow();
    assert.equal(number, 1);
  });

  test("executes a write that begins with `with`", async () => {
    await using database = await open();
    await sql`with fresh (id) as (values ('a'), ('b')) insert into account (id) select id from fresh`.execute(
      database.db,
    );

    const found = await database.db.selectFrom("account").select("id").orderBy("id").execute();
    assert.deepEqual(found, [{ id: "a" }, { id: "b" }]);
  });

  test("the next read sees an acknowledged write", async () => {
    await using database = await open();
    for (let n = 0; n < 50; n += 1) {
      await database.db
        .insertInto("account")
        .values(account(`a${n}`))
        .execute();
      const { rows } = await sql`select count(*) as n from account`.execute(database.db);
      assert.deepEqual(rows, [{ n: n + 1 }]);
    }
  });

  test("a transaction that throws changes nothing", async () => {
    await using database = await open();
    const failure = new Error("no");
    const work = database.transaction(async (tx) => {
      await tx.insertInto("account").values(account("a")).execute();
      throw failure;
    });

    await assert.rejects(work, failure);
    assert.deepEqual(await database.db.selectFrom("account").selectAll().execute(), []);
  });

  test("a transaction returns its result and sees its own writes; others see them afterwards", async () => {
    await using database = await open();
    const seen = await database.transaction(async (tx) => {
      await tx.insertInto("account").values(account("a", 7)).execute();
      return await tx.selectFrom("account").select("balance").executeTakeFirstOrThrow();
    });

    assert.deepEqual(seen, { balance: 7 });
    assert.deepEqual(await database.db.selectFrom("account").select("balance").execute(), [{ balance: 7 }]);
  });

  test("concurrent read-then-write transactions lose no update", async () => {
    await using database = await open();
    await database.db.insertInto("account").values(account("a")).execute();
    const increment = (): Promise<void> =>
      database.transaction(async (tx) => {
        const { balance } = await tx
          .selectFrom("account")
          .select("balance")
          .where("id", "=", "a")
          .forUpdate()
          .executeTakeFirstOrThrow();
        await tx
          .updateTable("account")
          .set({ balance: balance + 1 })
          .where("id", "=", "a")
          .execute();
      });
    await Promise.all(Array.from({ length: 100 }, increment));

    assert.deepEqual(await database.db.selectFrom("account").select("balance").execute(), [{ balance: 100 }]);
  });

  test("after a failed statement a transaction accepts only a rollback", async () => {
    await using database = await open();
    await database.db.insertInto("account").values(account("a")).execute();
    const work = database.transaction(async (tx) => {
      await tx.insertInto("account").values(account("b")).execute();
      await assert.rejects(tx.insertInto("account").values(account("a")).execute(), isUniqueViolation);
      await assert.rejects(tx.selectFrom("account").selectAll().execute(), /abort|rollback/);
    });

    await assert.rejects(work);
    assert.deepEqual(await database.db.selectFrom("account").select("id").execute(), [{ id: "a" }]);
  });

  test("concurrent statements of a transaction run in order, and none takes effect after a failed one", async () => {
    await using database = await open();
    await database.transaction(async (tx) => {
      const add = (id: string) => tx.insertInto("account").values(account(id)).execute();
      const count = () => tx.selectFrom("account").select("id").execute();
      const [, one, , two] = await Promise.all([add("a"), count(), add("b"), count()]);
      assert.deepEqual([one.length, two.length], [1, 2]);
    });
    const work = database.transaction(async (tx) => {
      const add = (id: string) => tx.insertInto("account").values(account(id)).execute();
      const ends = await Promise.allSettled([add("c"), add("a"), add("d")]);
      assert.deepEqual(
        ends.map(({ status }) => status),
        ["fulfilled", "rejected", "rejected"],
      );
      assert.ok(ends[1]?.status === "rejected" && isUniqueViolation(ends[1].reason));
      return await add("e");
    });
    await assert.rejects(work);
    const stored = await database.db.selectFrom("account").select("id").orderBy("id").execute();
    assert.deepEqual(stored, [{ id: "a" }, { id: "b" }]);
  });

  test("refuses savepoints on every engine", async () => {
    await using database = await open();
    const tx = await database.db.startTransaction().execute();
    await assert.rejects(tx.savepoint("inner").execute(), /savepoint/);
    await tx.rollback().execute();
  });

  test("rejects a query that bypasses its transaction, instead of a deadlock", async () => {
    await using database = await open();
    const work = database.transaction(async () => {
      await database.db.insertInto("account").values(account("a")).execute();
    });
    await assert.rejects(work, { name: "StoreError", code: "nested" });
  });

  test("distinguishes violated constraints", async () => {
    await using database = await open();
    await database.db.insertInto("account").values(account("a")).execute();
    const twice = await errorOf(database.db.insertInto("account").values(account("a")).execute());
    const orphan = await errorOf(
      database.db.insertInto("movement").values({ account_id: "none", amount: 1 }).execute(),
    );
    const negative = await errorOf(database.db.insertInto("account").values(account("b", -1)).execute());

    const kinds = [twice, orphan, negative].map((error) => [
      isUniqueViolation(error),
      isForeignKeyViolation(error),
      isCheckViolation(error),
    ]);
    assert.deepEqual(kinds, [
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });

  test("one invalid write among 64 fails, and the others succeed", async () => {
    await using database = await open();
    await database.db.insertInto("account").values(account("a31")).execute();
    const writes = Array.from({ length: 64 }, (_, n) =>
      database.db
        .insertInto("account")
        .values(account(`a${n}`))
        .execute(),
    );
    const outcomes = await Promise.allSettled(writes);

    assert.deepEqual(
      outcomes.flatMap(({ status }, n) => (status === "rejected" ? [n] : [])),
      [31],
    );
    const { rows } = await sql`select count(*) as n from account`.execute(database.db);
    assert.deepEqual(rows, [{ n: 64 }]);
  });

  test("concurrent single writes and transactions all take effect", async () => {
    await using database = await open();
    await database.db.insertInto("account").values(account("a")).execute();
    const add = sql`update account set balance = balance + 1`;
    const works = Array.from({ length: 90 }, (_, n) => {
      if (n % 3 === 0) return add.execute(database.db);
      if (n % 3 === 1) return database.transaction((tx) => add.execute(tx));
      return assert.rejects(
        database.transaction(async (tx) => {
          await add.execute(tx);
          throw new Error("undone");
        }),
        /undone/,
      );
    });
    await Promise.all(works);

    assert.deepEqual(await database.db.selectFrom("account").select("balance").execute(), [{ balance: 60 }]);
  });

  test("inserts ten thousand rows atomically", async () => {
    await using database = await open();
    const rows = Array.from({ length: 10_000 }, (_, n) => account(`a${n}`, n));
    await assert.rejects(insertMany(database.db, "account", [...rows, account("a0")]), isUniqueViolation);
    const { rows: before } = await sql`select count(*) as n from account`.execute(database.db);
    const inserted = await insertMany(database.db, "account", rows);
    const { rows: after } = await sql`select count(*) as n, sum(balance) as total from account`.execute(database.db);

    assert.deepEqual([before, inserted, after], [[{ n: 0 }], 10_000, [{ n: 10_000, total: 49_995_000 }]]);
  });

  test("ignores or replaces duplicate rows as requested; within one call, the last row wins", async () => {
    await using database = await open();
    await insertMany(database.db, "account", [account("a", 1)]);
    await insertMany(database.db, "account", [account("a", 2), account("b", 2)], {
      onConflict: { columns: ["id"], do: "ignore" },
    });
    const ignored = await database.db.selectFrom("account").select(["id", "balance"]).orderBy("id").execute();
    await insertMany(database.db, "account", [account("a", 3), account("b", 3), account("a", 4)], {
      onConflict: { columns: ["id"], do: "replace" },
    });
    const replaced = await database.db.selectFrom("account").select(["id", "balance"]).orderBy("id").execute();

    assert.deepEqual(ignored, [
      { id: "a", balance: 1 },
      { id: "b", balance: 2 },
    ]);
    assert.deepEqual(replaced, [
      { id: "a", balance: 4 },
      { id: "b", balance: 3 },
    ]);
  });

  test("runs a statement per row of parameters, also inside a transaction", async () => {
    await using database = await open();
    await insertMany(database.db, "account", [account("a"), account("b")]);
    const statement = sql`update account set balance = ${0} where id = ${""}`.compile(database.db);
    const changed = await batch(database.db, statement, [
      [5, "a"],
      [6, "b"],
      [7, "none"],
    ]);
    await assert.rejects(
      database.transaction(async (tx) => {
        await batch(tx, statement, [
          [9, "a"],
          [9, "b"],
        ]);
        throw new Error("undone");
      }),
      /undone/,
    );

    assert.equal(changed, 2);
    assert.deepEqual(await database.db.selectFrom("account").select("balance").orderBy("id").execute(), [
      { balance: 5 },
      { balance: 6 },
    ]);
  });

  test("a stream returns every row in batches and can be stopped early", async () => {
    await using database = await open();
    await insertMany(
      database.db,
      "account",
      Array.from({ length: 1_000 }, (_, n) => account(`a${n}`, n)),
    );
    const query = database.db.selectFrom("account").select("balance").orderBy("balance");
    const all: number[] = [];
    for await (const { balance } of query.stream(64)) all.push(balance);
    for await (const { balance } of query.stream(64)) if (balance === 10) break;
    await database.db.deleteFrom("account").execute();

    assert.deepEqual(
      all,
      Array.from({ length: 1_000 }, (_, n) => n),
    );
  });

  onConcurrent("a snapshot does not change while others write", async () => {
    await using database = await open();
    await insertMany(database.db, "account", [account("a", 1)]);
    const began = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const reading = database.snapshot(async (tx) => {
      const before = await tx.selectFrom("account").select("balance").execute();
      began.resolve();
      await written.promise;
      return [before, await tx.selectFrom("account").select("balance").execute()];
    });
    await began.promise;
    await database.db.updateTable("account").set({ balance: 2 }).execute();
    written.resolve();

    assert.deepEqual(await reading, [[{ balance: 1 }], [{ balance: 1 }]]);
    assert.deepEqual(await database.db.selectFrom("account").select("balance").execute(), [{ balance: 2 }]);
  });

  test("a snapshot rejects writes", async () => {
    await using database = await open();
    await assert.rejects(
      database.snapshot((tx) => tx.insertInto("account").values(account("a")).execute()),
      /read-only|only reads/,
    );
    assert.deepEqual(await database.db.selectFrom("account").selectAll().execute(), []);
  });

  onShared("a store opened for reading rejects writes", async () => {
    await using location = await stores.createLocation();
    await using writer = await location.open();
    await writer.db.insertInto("account").values(account("a")).execute();
    await using reader = await location.open({ readOnly: true });

    assert.deepEqual(await reader.db.selectFrom("account").select("id").execute(), [{ id: "a" }]);
    await assert.rejects(reader.db.insertInto("account").values(account("b")).execute(), /read-only|for reading only/);
  });

  onShared("two openings of one store see each other's writes and lose none", async () => {
    await using location = await stores.createLocation();
    await using database = await location.open();
    await using other = await location.open();
    await database.db.insertInto("account").values(account("a")).execute();
    const increment = sql`update account set balance = balance + 1`;
    await Promise.all(Array.from({ length: 60 }, (_, n) => increment.execute(n % 2 === 0 ? database.db : other.db)));

    assert.deepEqual(await other.db.selectFrom("account").select("balance").execute(), [{ balance: 60 }]);
  });

  onShared("the version, if available, changes only when a connection of this or another process commits", async () => {
    await using location = await stores.createLocation();
    await using database = await location.open();
    await using other = await location.open();
    const versions = [database.version(), database.version()];
    await database.db.insertInto("account").values(account("a")).execute();
    versions.push(database.version());
    await database.transaction((tx) => tx.updateTable("account").set({ balance: 2 }).execute());
    versions.push(database.version(), database.version());
    await other.db.updateTable("account").set({ balance: 3 }).execute();
    versions.push(database.version());
    const [before] = versions;
    assert.equal(new Set(versions).size, before === null ? 1 : 4);
    assert.deepEqual([versions[1], versions[4]], [before, versions[3]]);
  });

  test("a notification wakes the listeners of its channel until they stop", async () => {
    await using database = await open();
    const woken: (string | undefined)[] = [];
    const first = Promise.withResolvers<void>();
    const stop = await database.listen("published", (payload) => {
      woken.push(payload);
      first.resolve();
    });
    await database.notify("other", "x");
    await database.notify("published", "7");
    await first.promise;
    await stop();
    const last = Promise.withResolvers<void>();
    await database.listen("last", () => last.resolve());
    await database.notify("published", "8");
    await database.notify("last");
    await last.promise;

    assert.deepEqual(woken, ["7"]);
  });

  test("can be closed twice, and rejects everything afterwards", async () => {
    const database = await open();
    const write = database.db.insertInto("account").values(account("a")).execute();
    await write;
    const closings = [database.close(), database.close()];
    assert.equal(closings[0], closings[1]);
    await Promise.all(closings);

    await assert.rejects(database.db.selectFrom("account").selectAll().execute(), /closed|destroyed/);
    await assert.rejects(database.db.insertInto("account").values(account("b")).execute(), /closed|destroyed/);
  });

  test("rejects dates, booleans and undefined with a message about the portable form", async () => {
    await using database = await open();
    for (const value of [new Date(0), true, undefined, Number.NaN]) {
      const query = sql`update account set note = ${value}`;
      await assert.rejects(query.execute(database.db), /A store accepts text, numbers, bytes and null/);
    }
  });
});

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "expected an error" });
}

function skipTest(_name: string, _body: () => Promise<void>): void {}
