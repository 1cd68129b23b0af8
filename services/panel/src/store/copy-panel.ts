/** Moves the panel's store between a data folder and PostgreSQL, in either direction. The panels must be stopped. */
import { existsSync } from "node:fs";
import { copyStore, holdsStore, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { PANEL_MIGRATIONS } from "./open-store.ts";
import { copyBlobs } from "./copy-blobs.ts";
import { addressOf, openPanelStore, storeFile, type StoreLocation } from "./store-location.ts";

export interface PanelCopy {
  /** A data folder, or the URL of a PostgreSQL database. */
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyPanel({ from, to, onProgress }: PanelCopy): Promise<readonly CopiedTable[]> {
  const [source, target] = [toStoreLocation(from), toStoreLocation(to)];
  if (!(await holdsStore(addressOf(source)))) return [];
  await refuseUsed(target);
  const rows = await copyBlobs(source, target, (copied) => onProgress({ table: BLOBS, copied, total: copied }));
  const addresses = { from: addressOf(source), to: addressOf(target) };
  const tables = await copyStore({ ...addresses, migrations: PANEL_MIGRATIONS, skip: [BLOBS], onProgress });
  return [...tables, { table: BLOBS, rows }];
}

const BLOBS = "blob";

/** Checked before the first blob is copied; later writes are caught when the rows are copied. */
async function refuseUsed(location: StoreLocation): Promise<void> {
  if (location.databaseUrl === undefined && !existsSync(storeFile(location.dataFolder))) return;
  await using store = await openPanelStore(location);
  if (!(await store.system.isEmpty())) throw new Error("The target store is not empty: it has accounts.");
}

function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

function toStoreLocation(address: string): StoreLocation {
  return isPostgres(address)
    ? { dataFolder: ".", databaseUrl: address }
    : { dataFolder: address, databaseUrl: undefined };
}
