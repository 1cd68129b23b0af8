import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Database, StoreLocation } from "@triptych/storage";
import type { DirectoryConfig } from "../config.ts";
import { createDirectoryStore, type DirectoryStore, type DirectoryStoreOptions } from "./directory-store.ts";
import { memoryShare } from "./memory-budget.ts";
import { directoryStore, type StoreTables } from "./migrations.ts";

export type StoreConfig = Pick<
  DirectoryConfig,
  "TRIPTYCH_DATA" | "DATABASE_URL" | "DIRECTORY_ENGINE" | "DIRECTORY_INDEX_BYTES" | "DIRECTORY_ITEM_CACHE_BYTES"
>;

export interface OpenStore extends AsyncDisposable {
  readonly database: Database<StoreTables>;
  readonly directory: DirectoryStore;
}

export function openStoreForReading(config: StoreConfig): Promise<Database<StoreTables>> {
  return directoryStore.open(locationOf(config), { readOnly: true, connections: 4 });
}

export async function openStore(
  config: StoreConfig,
  { report, now, pause }: Pick<DirectoryStoreOptions, "report" | "now" | "pause">,
): Promise<OpenStore> {
  if (config.DIRECTORY_ENGINE === "postgres" && config.DATABASE_URL === undefined) {
    throw new Error("DIRECTORY_ENGINE=postgres requires DATABASE_URL, the URL of a PostgreSQL server with PostGIS.");
  }
  const location = locationOf(config);
  // Snapshots are files in the data folder, with PostgreSQL too.
  await mkdir(location.dataFolder, { recursive: true, mode: 0o700 });
  const database = await directoryStore.open(location);
  const directory = createDirectoryStore({
    database,
    location: directoryStore.addressOf(location),
    dataFolder: location.dataFolder,
    engine: config.DIRECTORY_ENGINE,
    indexBytes: config.DIRECTORY_INDEX_BYTES ?? memoryShare(1 / 2),
    itemCacheBytes: config.DIRECTORY_ITEM_CACHE_BYTES ?? memoryShare(1 / 8),
    report,
    now,
    pause,
  });
  return { database, directory, [Symbol.asyncDispose]: () => database.close() };
}

export function locationOf({
  DATABASE_URL,
  TRIPTYCH_DATA,
}: Pick<StoreConfig, "DATABASE_URL" | "TRIPTYCH_DATA">): StoreLocation {
  return { dataFolder: resolve(TRIPTYCH_DATA), databaseUrl: DATABASE_URL };
}
