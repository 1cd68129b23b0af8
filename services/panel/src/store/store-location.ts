/**
 * Opens the configured store: SQLite in the data folder, or PostgreSQL. On SQLite one panel runs at a time, because another's workers,
 * hints and caches would be invisible; commands may write concurrently.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { acquireFileLock, openDatabase, type Database, type Lock } from "@triptych/storage";
import { fileBlobs } from "../blobs/file-blobs.ts";
import type { Blobs } from "../domain/delivery-repositories.ts";
import type { PanelStore } from "../domain/repositories.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, storeOn } from "./open-store.ts";
import { tableBlobs } from "./table-blobs.ts";
import type { PanelTables } from "./tables.ts";

export interface StoreLocation {
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
}

export async function openPanelStore(location: StoreLocation): Promise<PanelStore> {
  return storeOn(await openTables(location));
}

export interface OpenedStore {
  readonly store: PanelStore;
  readonly blobs: Blobs;
}

/** Opens the store with its blobs: in a folder, or in the database for several nodes without a shared disk. */
export async function openWithBlobs(location: StoreLocation, { folder, now }: BlobLocation): Promise<OpenedStore> {
  const database = await openTables(location);
  const isEmbedded = location.databaseUrl === undefined;
  const own = isEmbedded ? blobFolder(location.dataFolder) : undefined;
  const chosen = folder ?? own;
  return {
    store: storeOn(database),
    blobs: chosen === undefined ? tableBlobs(database, now) : await fileBlobs(chosen),
  };
}

export function blobFolder(dataFolder: string): string {
  return join(resolve(dataFolder), "panel", "blobs");
}

export interface BlobLocation {
  /** Shared by all nodes. */
  readonly folder: string | undefined;
  readonly now: () => number;
}

async function openTables(location: StoreLocation): Promise<Database<PanelTables>> {
  if (location.databaseUrl === undefined) await mkdir(location.dataFolder, { recursive: true, mode: 0o700 });
  return openDatabase<PanelTables>({ ...addressOf(location), migrations: PANEL_MIGRATIONS });
}

/** Null on PostgreSQL, where several panels may run. Rejects where a panel already uses these files. */
export async function lockStore({ dataFolder, databaseUrl }: StoreLocation): Promise<Lock | null> {
  return databaseUrl === undefined ? acquireFileLock(join(resolve(dataFolder), "panel.lock")) : null;
}

export function addressOf({ dataFolder, databaseUrl }: StoreLocation) {
  return { url: databaseUrl ?? `sqlite:${storeFile(dataFolder)}`, schema: PANEL_SCHEMA };
}

export function storeFile(dataFolder: string): string {
  return resolve(dataFolder, "panel.db");
}
