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

/** Opens the store with its blobs: those given, or in the data folder or the database. */
export async function openWithBlobs(location: StoreLocation, { blobs, now }: BlobOptions): Promise<OpenedStore> {
  const database = await panelStore.open(location);
  return {
    store: storeOn(database),
    blobs: blobs ?? (await blobsIn(location, database, now)),
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

export interface BlobOptions {
  /** Shared by all nodes; null without configuration. */
  readonly blobs: Blobs | null;
  readonly now: () => number;
}
