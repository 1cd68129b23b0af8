/**
 * Opens the directory's store as the configuration says: SQLite in the data folder, or PostgreSQL. The service and the command line
 * come through here, so both find the same data.
 */
import { mkdir } from "node:fs/promises";
import { totalmem } from "node:os";
import { resolve } from "node:path";
import { openDatabase, type Database } from "@triptych/storage";
import type { DirectoryConfig } from "../config.ts";
import { createDirectoryStore, type DirectoryStore, type StoreEvent } from "./directory-store.ts";
import { DIRECTORY_SCHEMA, DIRECTORY_MIGRATIONS, type StoreTables } from "./migrations.ts";

export type StoreConfig = Pick<
  DirectoryConfig,
  "TRIPTYCH_DATA" | "DATABASE_URL" | "DIRECTORY_ENGINE" | "DIRECTORY_INDEX_BYTES"
>;

export interface OpenStore extends AsyncDisposable {
  readonly database: Database<StoreTables>;
  readonly directory: DirectoryStore;
}

export async function openStore(
  config: StoreConfig,
  { report, now }: { report: (event: StoreEvent) => void; now: () => number },
): Promise<OpenStore> {
  if (config.DIRECTORY_ENGINE === "postgres" && config.DATABASE_URL === undefined) {
    throw new Error("DIRECTORY_ENGINE=postgres needs DATABASE_URL, the address of a PostgreSQL server with PostGIS.");
  }
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const databaseUrl = config.DATABASE_URL ?? `sqlite:${resolve(dataFolder, "directory.db")}`;
  const database = await openDatabase<StoreTables>({
    url: databaseUrl,
    schema: DIRECTORY_SCHEMA,
    migrations: DIRECTORY_MIGRATIONS,
  });
  const directory = createDirectoryStore({
    database,
    place: { url: databaseUrl, schema: DIRECTORY_SCHEMA },
    dataFolder,
    engine: config.DIRECTORY_ENGINE,
    indexBytes: config.DIRECTORY_INDEX_BYTES ?? halfOfTheMemory(),
    report,
    now,
  });
  return { database, directory, [Symbol.asyncDispose]: () => database.close() };
}

/** Of the machine, or of what a container grants. */
function halfOfTheMemory(): number {
  const granted = process.constrainedMemory();
  return Math.floor(Math.min(totalmem(), granted > 0 ? granted : Infinity) / 2);
}
