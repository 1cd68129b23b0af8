/** PostgreSQL-specific behavior: connections, versions, timeouts. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { PostgresPool } from "kysely";
import { type Database, openDatabase, readPrepared, sql } from "../src/index.ts";
import { openPostgresOn } from "../src/postgres/open-postgres.ts";
import { forEachEngine, withoutPostgres } from "../src/testing/index.ts";
import { runChild } from "./children/run-child.ts";
import { migrations, type Tables } from "./tables.ts";

forEachEngine<Tables>("a store", { migrations, engines: ["PostgreSQL"], postgis: true }, (open, stores) => {
  test("wakes listeners after a lost connection, and notifies them again", async () => {
    await using location = await stores.createLocation();
    await using database = await location.open();
    await using other = await location.open();
    const received: (string | undefined)[] = [];
    let next = Promise.withResolvers<void>();
    await database.listen("published", (payload) => {
      received.push(payload);
      next.resolve();
    });
    await cutConnections(location.schema, other);
    await next.promise;
    next = Promise.withResolvers<void>();
    await other.notify("published", "8");
    await next.promise;

    assert.deepEqual(received, [undefined, "8"]);
  });

  test("replaces idle connections closed by the server", async () => {
    await using location = await stores.createLocation();
    await using database = await location.open();
    await using other = await location.open();
    await sql`select 1`.execute(database.db);
    await cutConnections(location.schema, other);
    // A disconnect is noticed with the next server message, so each closed connection may fail at most one query.
    let failures = 0;
    let answer: unknown;
    while (answer === undefined && failures < 10) {
      try {
        answer = (await sql`select 1 as one`.execute(database.db)).rows;
      } catch {
        failures += 1;
      }
    }

    assert.deepEqual(answer, [{ one: 1 }]);
  });

  test("cancels a statement that exceeds the timeout", async () => {
    await using location = await stores.createLocation();
    await using database = await openDatabase<Tables>({
      url: location.url,
      schema: location.schema,
      migrations,
      statementMs: 50,
    });

    await assert.rejects(sql`select pg_sleep(30)`.execute(database.db), { code: "57014" });
  });

  test("finds tables of the service and PostGIS functions without a schema name", async () => {
    await using database = await open();
    const { rows } = await sql`select (select count(*) from account) as n, ST_X(ST_Point(2, 3)) as x`.execute(
      database.db,
    );

    assert.deepEqual(rows, [{ n: 0, x: 2 }]);
  });

  test("plans a prepared statement once per connection, and caches no other statements", async () => {
    await using location = await stores.createLocation();
    await using database = await openDatabase<Tables>({
      url: location.url,
      schema: location.schema,
      migrations,
      connections: 1,
    });
    const { db } = database;
    for (const n of [1, 2, 3]) {
      assert.deepEqual(await readPrepared(db, sql<{ n: number }>`select ${n}::integer + 1 as n`), [{ n: n + 1 }]);
      assert.deepEqual((await sql`select ${n}::integer + 2 as n`.execute(db)).rows, [{ n: n + 2 }]);
    }
    const { rows } =
      await sql`select statement, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(db);
    assert.deepEqual(rows, [{ statement: "select $1::integer + 1 as n", runs: 3 }]);
    await assert.rejects(readPrepared(db, sql`select 1 / ${0}::integer`), /division by zero/);
    assert.deepEqual(await readPrepared(db, sql`select 1 / ${1}::integer as n`), [{ n: 1 }]);
  });

  test("many concurrent transactions share a few connections", async () => {
    await using location = await stores.createLocation();
    await using database = await openDatabase<Tables>({
      url: location.url,
      schema: location.schema,
      migrations,
      connections: 2,
    });
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        database.transaction(
          async (tx) => (await sql<{ n: number }>`select ${sql.lit(n)} as n`.execute(tx)).rows[0]?.n,
        ),
      ),
    );

    assert.deepEqual(
      results,
      Array.from({ length: 40 }, (_, n) => n),
    );
  });
});

describe("a PostgreSQL server", () => {
  test("that is older than version 15 is rejected with its version", async () => {
    await assert.rejects(
      openPostgresOn(poolOfVersion(14), { schema: "s", readOnly: false, listener }),
      /PostgreSQL 15 or newer is required; this server is version 14/,
    );
  });

  test("that does not respond is reported without the password", async () => {
    const url = "postgres://user:secret@127.0.0.1:1/none";
    await assert.rejects(
      openDatabase({ url, schema: "s", migrations: [] }),
      (error) =>
        error instanceof Error &&
        error.message === "Cannot open the PostgreSQL store: connect ECONNREFUSED 127.0.0.1:1" &&
        !`${error.message}${error.stack}`.includes("secret"),
    );
  });

  test("that was started for tests always ends with its process", { skip: withoutPostgres() }, async () => {
    const child = runChild("start-server");
    const { value: folder = "" } = await child.lines.next();
    assert.ok(existsSync(folder));
    child.process.kill("SIGKILL");
    await child.ended;

    for (const until = Date.now() + 10_000; existsSync(folder) && Date.now() < until;) await wait(20);
    assert.ok(!existsSync(folder));
  });
});

/** Terminates all other connections of this store. */
async function cutConnections(schema: string, { db }: Database<Tables>): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${`triptych ${schema}`} and pid <> pg_backend_pid()`.execute(db);
}

const listener = { listen: () => Promise.reject(new Error("not here")), close: () => Promise.resolve() };

/** Responds to every query with a server version. */
function poolOfVersion(major: number): PostgresPool {
  const result = { command: "SELECT", rowCount: 1, rows: [{ major }] };
  const client = { query: () => Promise.resolve(result), release: () => undefined };
  return {
    options: {},
    connect: () => Promise.resolve(client as unknown as Awaited<ReturnType<PostgresPool["connect"]>>),
    end: () => Promise.resolve(),
  };
}
