import { mkdir } from "node:fs/promises";
import { totalmem } from "node:os";
import { resolve } from "node:path";
import type { CopiedTable, Database, Kysely, StoreCopy, StoreLocation } from "@triptych/storage";
import { rollUpUsage } from "@triptych/usage-metering";
import type { DirectoryConfig } from "../config.ts";
import { createDirectoryStore, type DirectoryStore, type DirectoryStoreOptions } from "./directory-store.ts";
import { directoryStore, type StoreTables } from "./tables.ts";

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

export function copyDirectory(copy: StoreCopy): Promise<readonly CopiedTable[]> {
  return directoryStore.copy(copy, completeSums);
}

/** Completes the sums that a killed process left behind. */
async function completeSums(from: StoreLocation): Promise<void> {
  if (from.databaseUrl !== undefined) return;
  // Read-only first, so that an outdated store is rejected instead of migrated.
  await (await directoryStore.open(from, { readOnly: true })).close();
  await using database = await directoryStore.open(from);
  await rollUpUsage(database);
}

/** A share of the available memory: of the machine or of the container's limit. */
export function memoryShare(share: number): number {
  const granted = process.constrainedMemory();
  return Math.floor(Math.min(totalmem(), granted > 0 ? granted : Infinity) * share);
}

/** Larger files are not suitable for a map of the country. */
export const BOUNDARY_BYTES_MAX = 32 << 20;

/** The text, or null if none is installed. */
export async function readOutlines(db: Kysely<StoreTables>): Promise<string | null> {
  const row = await db.selectFrom("outlines").select("geojson").where("id", "=", 1).executeTakeFirst();
  return row?.geojson ?? null;
}

export async function installOutlines(db: Kysely<StoreTables>, geojson: string, at: number): Promise<void> {
  await db
    .insertInto("outlines")
    .values({ id: 1, geojson, installed_at: at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ geojson, installed_at: at }))
    .execute();
}
