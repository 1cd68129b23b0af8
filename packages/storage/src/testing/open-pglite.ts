/** A `Database` on in-memory PGlite: PostgreSQL's dialect and behavior without a server. It persists nothing. */
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PGlite } from "@electric-sql/pglite";
import type { Database } from "../database.ts";
import type { OpenOptions } from "../open-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { openPostgresOn } from "../postgres/open-postgres.ts";
import { createPglitePool, createConnectionLock, type SharedPglite } from "./pglite-pool.ts";

let shared: Promise<SharedPglite> | undefined;

/** All databases of a process share one PGlite; those with the same schema share its tables. */
export async function openPglite<Schema>({
  schema,
  migrations,
  readOnly = false,
}: Omit<OpenOptions, "url">): Promise<Database<Schema>> {
  const { pglite, lock } = await (shared ??= startPglite());
  const database = await openPostgresOn<Schema>(createPglitePool({ pglite, lock }, { schema, readOnly }), {
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

/**
 * Lets the process exit: PostgreSQL timers inside PGlite would keep it alive for 10 s. The next opening starts a new
 * instance.
 */
export async function closePglite(): Promise<void> {
  const last = await shared;
  shared = undefined;
  await last?.pglite.close();
}

async function startPglite(): Promise<SharedPglite> {
  return { pglite: await createEmpty(), lock: createConnectionLock() };
}

const CACHE_FOLDER = fileURLToPath(new URL("../../../../node_modules/.cache/pglite", import.meta.url));

/**
 * Creating an empty database takes seconds of CPU time; unpacking a saved one takes a tenth of that. So the first one
 * is cached.
 */
async function createEmpty(): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite");
  const cacheFile = join(CACHE_FOLDER, `${await versionOfPglite()}.tar`);
  // Does not use `openAsBlob`, because reading its file once never finished.
  if (existsSync(cacheFile)) return await PGlite.create({ loadDataDir: new Blob([await readFile(cacheFile)]) });

  const pglite = await PGlite.create();
  await saveToCache(await pglite.dumpDataDir("none"), cacheFile);
  return pglite;
}

/** Processes may do this concurrently: each writes its own file, and the results are equal. */
async function saveToCache(empty: Blob, cacheFile: string): Promise<void> {
  const own = `${cacheFile}.${process.pid}`;
  await mkdir(CACHE_FOLDER, { recursive: true });
  await writeFile(own, empty.stream());
  await rename(own, cacheFile);
}

async function versionOfPglite(): Promise<string> {
  const about = new URL("../package.json", import.meta.resolve("@electric-sql/pglite"));
  const { version }: { readonly version: string } = JSON.parse(await readFile(about, "utf8"));
  return version;
}
