/** A `Database` on PGlite in memory: PostgreSQL's dialect and behaviour without a server. Never a store: it keeps nothing. */
import type { Database, OpenOptions } from "../database.ts";
import { migrate } from "../migrations/migrate.ts";
import { openPostgresOn } from "../postgres/open-postgres.ts";
import { createPglitePool, createTurn, type SharedPglite } from "./pglite-pool.ts";

let shared: Promise<SharedPglite> | undefined;

/** All databases of a process share one PGlite; those that name the same schema share its tables. */
export async function openPglite<Schema>({
  schema,
  migrations,
  readOnly = false,
}: Omit<OpenOptions, "url">): Promise<Database<Schema>> {
  const { pglite, turn } = await (shared ??= startPglite());
  const database = await openPostgresOn<Schema>(createPglitePool({ pglite, turn }, { schema, readOnly }), {
    schema,
    readOnly,
    listener: {
      listen: async (channel, wake) => {
        const stop = await pglite.listen(channel, wake);
        return () => stop();
      },
      close: () => Promise.resolve(),
    },
  });
  try {
    await migrate(database, { sources: migrations, schema, readOnly });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Lets the process end: PostgreSQL's own timers inside PGlite would hold it for 10 s. A later opening starts another. */
export async function closePglite(): Promise<void> {
  const last = await shared;
  shared = undefined;
  await last?.pglite.close();
}

async function startPglite(): Promise<SharedPglite> {
  const { PGlite } = await import("@electric-sql/pglite");
  return { pglite: await PGlite.create(), turn: createTurn() };
}
