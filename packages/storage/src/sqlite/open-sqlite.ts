/** An SQLite store as a `Database`. Notifications reach only this process; other processes must poll. */
import { Kysely } from "kysely";
import type { Database } from "../database.ts";
import { createScope } from "../scope.ts";
import { createSqliteDialect } from "./dialect.ts";
import type { ProcedureName } from "./writer-procedures.ts";
import { openFileStore, openMemoryStore, type SqliteOptions } from "./store.ts";

export async function openSqlite<Schema>(path: string, options: SqliteOptions): Promise<Database<Schema>> {
  const store = path === ":memory:" ? openMemoryStore() : await openFileStore(path, options);
  const scope = createScope();
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(store, scope) });
  const listeners = new Map<string, Set<(payload: string | undefined) => void>>();
  let closing: Promise<void> | null = null;

  const database: Database<Schema> = {
    engine: "sqlite",
    db,
    transaction(work, { limitMs } = {}) {
      const run = () => db.transaction().execute((tx) => scope.inside(() => work(tx)));
      return limitMs === undefined ? run() : scope.withLimit(limitMs, run);
    },
    procedures: {
      async call<Output>({ module, name }: ProcedureName, input: unknown) {
        scope.assertOutside();
        return (await store.call({ module: module.href, name, input })) as Output;
      },
    },
    snapshot: (work) =>
      db
        .transaction()
        .setAccessMode("read only")
        .execute((tx) => scope.inside(() => work(tx))),
    version: () => store.version(),
    notify(channel, payload = "") {
      // Asynchronous, as on PostgreSQL, so that an error in a listener does not reach the caller of `notify`.
      for (const wake of listeners.get(channel) ?? []) setImmediate(() => isListening(channel, wake) && wake(payload));
      return Promise.resolve();
    },
    listen(channel, wake) {
      const own = (payload: string | undefined) => wake(payload);
      const here = listeners.get(channel) ?? new Set();
      listeners.set(channel, here.add(own));
      return Promise.resolve(() => {
        here.delete(own);
        return Promise.resolve();
      });
    },
    close() {
      listeners.clear();
      closing ??= store.close().then(() => db.destroy());
      return closing;
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
  return database;

  function isListening(channel: string, wake: (payload: string | undefined) => void): boolean {
    return listeners.get(channel)?.has(wake) === true;
  }
}
