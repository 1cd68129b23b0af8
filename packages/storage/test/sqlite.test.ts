/** SQLite file specifics: thread, other processes, readers. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { CompiledQuery } from "kysely";
import { type Database, insertMany, openDatabase, sql } from "../src/index.ts";
import { isRead } from "../src/sqlite/read-write-split.ts";
import { runChild } from "./children/run-child.ts";
import { account, migrations, type Tables } from "./tables.ts";

/** Writer threads, including idle ones. */
const threads: Worker[] = [];
process.on("worker", (thread) => threads.push(thread));

describe("a SQLite file", () => {
  test("uses WAL, full sync and foreign keys", async () => {
    await using file = await openFile();
    const settings = await file.database.transaction(async (tx) => {
      const read = async (name: string): Promise<unknown> =>
        Object.values((await sql<object>`pragma ${sql.raw(name)}`.execute(tx)).rows[0] ?? {})[0];
      return [await read("journal_mode"), await read("synchronous"), await read("foreign_keys")];
    });

    assert.deepEqual(settings, ["wal", 2, 1]);
  });

  test("and its folder are accessible to the user only", async () => {
    await using file = await openFile();
    const modes = await Promise.all(
      [file.path, `${file.path}-wal`, dirname(file.path)].map(async (path) => (await stat(path)).mode & 0o777),
    );

    assert.deepEqual(modes, [0o600, 0o600, 0o700]);
  });

  test("is complete after closing, without a remaining WAL", async () => {
    await using file = await openFile();
    await file.database.db.insertInto("account").values(account("a")).execute();
    await file.database.close();

    assert.deepEqual(await readdir(dirname(file.path)), ["store.db"]);
  });

  test("whose writer thread dies rejects pending and later writes, and can be closed", async () => {
    await using file = await openFile();
    const { db } = file.database;
    const write = (n: number): Promise<unknown> =>
      db
        .insertInto("account")
        .values(account(`a${n}`))
        .execute();
    await write(0);
    const pending = Promise.allSettled(Array.from({ length: 100 }, (_, n) => write(n + 1)));
    await Promise.all(threads.map((thread) => thread.terminate()));

    for (const outcome of await pending) {
      if (outcome.status === "rejected")
        assert.match(
          String(outcome.reason),
          /StoreError: The writer of .* stopped unexpectedly.*; restart the program/,
        );
    }
    await assert.rejects(write(500), { code: "crashed" });
    assert.ok((await db.selectFrom("account").select("id").execute()).length >= 1, "reads still work");
  });

  test("reuses the thread of a closed store, without any of its state", async () => {
    await (await openFile())[Symbol.asyncDispose]();
    const started = threads.length;
    await using second = await openFile();
    await second.database.db.insertInto("account").values(account("a")).execute();
    await second.database.close();
    await using third = await openFile();

    assert.deepEqual(await third.database.db.selectFrom("account").selectAll().execute(), []);
    assert.equal(threads.length, started, "no thread was started");
  });

  test("uses one thread per open store, and keeps at most four idle threads", async () => {
    const files = await Promise.all(Array.from({ length: 6 }, openFile));
    await Promise.all(files.map((file) => file[Symbol.asyncDispose]()));
    const started = threads.length;
    const again = await Promise.all(Array.from({ length: 6 }, openFile));
    await Promise.all(again.map((file) => file[Symbol.asyncDispose]()));

    assert.equal(threads.length - started, 2);
  });

  test("accepts writes while another process writes without pause, and neither loses any", async () => {
    await using file = await openFile();
    const child = runChild("write-forever", file.url, "theirs-");
    await child.lines.next();
    for (let n = 0; n < 40; n += 1)
      await file.database.db
        .insertInto("account")
        .values(account(`ours-${n}`))
        .execute();
    child.process.kill("SIGKILL");
    const { output, errors } = await child.ended;
    const theirs = output.split("\n").slice(0, -1);
    const stored = await file.database.db.selectFrom("account").select("id").execute();

    assert.equal(errors, "");
    assert.deepEqual(new Set(theirs.map((id) => id.split("-")[0])), new Set(["theirs"]));
    const ids = new Set(stored.map(({ id }) => id));
    assert.deepEqual(
      theirs.filter((id) => !ids.has(id)),
      [],
    );
    assert.equal(stored.filter(({ id }) => id.startsWith("ours-")).length, 40);
  });

  test("rolls back a transaction that exceeds its time limit, and continues with the queue", async () => {
    await using file = await openFile();
    const { database } = file;
    const inserted = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    const slow = database.transaction(
      async (tx) => {
        await tx.insertInto("account").values(account("slow")).execute();
        inserted.resolve();
        await resumed.promise;
        await tx.insertInto("account").values(account("slower")).execute();
      },
      { limitMs: 20 },
    );
    await inserted.promise;
    await database.db.insertInto("account").values(account("patient")).execute();
    resumed.resolve();

    await assert.rejects(slow, { code: "timeout" });
    assert.deepEqual(await database.db.selectFrom("account").select("id").execute(), [{ id: "patient" }]);
  });

  test("streams one snapshot, while other reads see every write", async () => {
    await using file = await openFile();
    const { db } = file.database;
    await insertMany(
      db,
      "account",
      Array.from({ length: 300 }, (_, n) => account(`a${n}`, n)),
    );
    const streamed: number[] = [];
    for await (const { balance } of db.selectFrom("account").select("balance").orderBy("balance").stream(10)) {
      streamed.push(balance);
      if (balance % 100 !== 0) continue;
      await db
        .insertInto("account")
        .values(account(`new${balance}`, 1_000 + balance))
        .execute();
      const { rows } = await sql`select count(*) as n from account`.execute(db);
      assert.deepEqual(rows, [{ n: 301 + balance / 100 }]);
    }

    assert.equal(streamed.length, 300);
  });

  test("keeps only one batch of a large stream in memory", async () => {
    await using file = await openFile();
    const { db } = file.database;
    const note = "x".repeat(4_000);
    for (let part = 0; part < 10; part += 1) {
      await insertMany(
        db,
        "account",
        Array.from({ length: 2_000 }, (_, n) => ({ ...account(`${part}-${n}`), note })),
      );
    }
    const before = process.memoryUsage();
    let highest = 0;
    let rows = 0;
    for await (const _ of db.selectFrom("account").selectAll().stream(200)) {
      rows += 1;
      if (rows % 1_000 === 0) highest = Math.max(highest, process.memoryUsage().external);
    }

    assert.equal(rows, 20_000);
    assert.ok(highest - before.external < 40_000_000, `80 MB of text used ${highest - before.external} bytes`);
  });

  test("sends a write after `with` to the writer, and a read with write keywords in a subquery to the reader", () => {
    const reads = [
      "select 1",
      "  (select 1)",
      "-- a\nSELECT 1",
      "/* b */ values (1)",
      "explain select 1",
      "pragma table_info(t)",
      "with a as (select 1) select * from a",
    ];
    const writes = [
      "insert into t values (1)",
      "UPDATE t set x = 1",
      "pragma user_version = 3",
      "create table t (x)",
      "replace into t values (1)",
      "vacuum",
    ];

    assert.deepEqual(
      reads.filter((text) => !isRead(CompiledQuery.raw(text))),
      [],
    );
    assert.deepEqual(
      writes.filter((text) => isRead(CompiledQuery.raw(text))),
      [],
    );
  });

  test("that cannot be opened is reported by name", async () => {
    await using file = await openFile();
    const folder = dirname(file.path);
    await writeFile(join(folder, "letter.db"), "This is not a database. ".repeat(100));
    const impossible = [
      { path: join(file.path, "store.db"), readOnly: false },
      { path: join(folder, "letter.db"), readOnly: false },
      { path: join(folder, "missing.db"), readOnly: true },
    ];
    for (const { path, readOnly } of impossible) {
      const opening = openDatabase({ url: `sqlite:${path}`, schema: "s", migrations: [], readOnly });
      await assert.rejects(opening, (error) => String(error).includes(path.replace(/\/store\.db$/, "")));
    }
    await assert.rejects(
      openDatabase({ url: "sqlite:relative.db", schema: "s", migrations: [] }),
      /sqlite:\/absolute\/path\.db/,
    );
    await assert.rejects(
      openDatabase({ url: "mysql://user:secret@host/db", schema: "s", migrations: [] }),
      (error) => !String(error).includes("secret"),
    );
  });
});

interface OpenFile extends AsyncDisposable {
  readonly path: string;
  readonly url: string;
  readonly database: Database<Tables>;
}

async function openFile(): Promise<OpenFile> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-sqlite-"));
  const path = join(folder, "made", "store.db");
  const url = `sqlite:${path}`;
  const database = await openDatabase<Tables>({ url, schema: "bank", migrations });
  return {
    path,
    url,
    database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
