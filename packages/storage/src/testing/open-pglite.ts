/** A `Database` on PGlite in memory: PostgreSQL's dialect and behaviour without a server. Never a store: it keeps nothing. */
import { existsSync, openAsBlob } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PGlite } from "@electric-sql/pglite";
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
  return { pglite: await createEmpty(), turn: createTurn() };
}

const KEPT = fileURLToPath(new URL("../../../../node_modules/.cache/pglite", import.meta.url));

/** Making an empty database takes seconds of the processor, unpacking one that was made before a tenth of that: the first is kept. */
async function createEmpty(): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite");
  const kept = join(KEPT, `${await versionOfPglite()}.tar`);
  if (existsSync(kept)) return await PGlite.create({ loadDataDir: await openAsBlob(kept) });

  const pglite = await PGlite.create();
  await keep(await pglite.dumpDataDir("none"), kept);
  return pglite;
}

/** Processes may come here at once: each writes a file of its own, and the last is as good as the first. */
async function keep(empty: Blob, kept: string): Promise<void> {
  const own = `${kept}.${process.pid}`;
  await mkdir(KEPT, { recursive: true });
  await writeFile(own, empty.stream());
  await rename(own, kept);
}

async function versionOfPglite(): Promise<string> {
  const about = new URL("../package.json", import.meta.resolve("@electric-sql/pglite"));
  const { version }: { readonly version: string } = JSON.parse(await readFile(about, "utf8"));
  return version;
}
