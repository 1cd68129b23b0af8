import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { openDatabase, type Database } from "@triptych/storage";
import type { DirectoryConfig } from "../config.ts";
import { createDirectoryStore, type DirectoryStore, type DirectoryStoreOptions } from "./directory-store.ts";
import { memoryShare } from "./memory-budget.ts";
import type { StoreLocation } from "./snapshot-worker.ts";
import { DIRECTORY_SCHEMA, DIRECTORY_MIGRATIONS, type StoreTables } from "./migrations.ts";

export type StoreConfig = Pick<
  DirectoryConfig,
  "TRIPTYCH_DATA" | "DATABASE_URL" | "DIRECTORY_ENGINE" | "DIRECTORY_INDEX_BYTES" | "DIRECTORY_ITEM_CACHE_BYTES"
>;

export interface OpenStore extends AsyncDisposable {
  readonly database: Database<StoreTables>;
  readonly directory: DirectoryStore;
}

export function openStoreForReading(config: StoreConfig): Promise<Database<StoreTables>> {
  return openDatabase<StoreTables>({
    ...addressOf(config),
    migrations: DIRECTORY_MIGRATIONS,
    readOnly: true,
    connections: 4,
  });
}

export async function openStore(
  config: StoreConfig,
  { report, now, pause }: Pick<DirectoryStoreOptions, "report" | "now" | "pause">,
): Promise<OpenStore> {
  if (config.DIRECTORY_ENGINE === "postgres" && config.DATABASE_URL === undefined) {
    throw new Error("DIRECTORY_ENGINE=postgres requires DATABASE_URL, the URL of a PostgreSQL server with PostGIS.");
  }
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const location = addressOf(config);
  const database = await openDatabase<StoreTables>({ ...location, migrations: DIRECTORY_MIGRATIONS });
  const directory = createDirectoryStore({
    database,
    location,
    dataFolder,
    engine: config.DIRECTORY_ENGINE,
    indexBytes: config.DIRECTORY_INDEX_BYTES ?? memoryShare(1 / 2),
    itemCacheBytes: config.DIRECTORY_ITEM_CACHE_BYTES ?? memoryShare(1 / 8),
    report,
    now,
    pause,
  });
  return { database, directory, [Symbol.asyncDispose]: () => database.close() };
}

function addressOf({ DATABASE_URL, TRIPTYCH_DATA }: StoreConfig): StoreLocation {
  return { url: DATABASE_URL ?? `sqlite:${resolve(TRIPTYCH_DATA, "directory.db")}`, schema: DIRECTORY_SCHEMA };
}
