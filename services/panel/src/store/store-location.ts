import { join, resolve } from "node:path";
import type { Database, StoreLocation } from "@triptych/storage";
import { fileBlobs } from "../blobs/file-blobs.ts";
import type { Blobs } from "../domain/delivery-repositories.ts";
import type { PanelStore } from "../domain/repositories.ts";
import { panelStore, storeOn } from "./open-store.ts";
import { tableBlobs } from "./table-blobs.ts";
import type { PanelTables } from "./tables.ts";

export async function openPanelStore(location: StoreLocation): Promise<PanelStore> {
  return storeOn(await panelStore.open(location));
}

export interface OpenedStore {
  readonly store: PanelStore;
  readonly blobs: Blobs;
}

/** Opens the store with its blobs: in a folder, or in the database for several nodes without a shared disk. */
export async function openWithBlobs(location: StoreLocation, { folder, now }: BlobLocation): Promise<OpenedStore> {
  const database = await panelStore.open(location);
  return {
    store: storeOn(database),
    blobs: folder === undefined ? await blobsIn(location, database, now) : await fileBlobs(folder),
  };
}

/** The blobs of a store without other configuration. */
export async function blobsIn(
  { dataFolder, databaseUrl }: StoreLocation,
  database: Database<PanelTables>,
  now: () => number = Date.now,
): Promise<Blobs> {
  return databaseUrl === undefined ? await fileBlobs(blobFolder(dataFolder)) : tableBlobs(database, now);
}

export function blobFolder(dataFolder: string): string {
  return join(resolve(dataFolder), "panel", "blobs");
}

export interface BlobLocation {
  /** Shared by all nodes. */
  readonly folder: string | undefined;
  readonly now: () => number;
}
