/** Moves the panel's store between a data folder and PostgreSQL, in either direction. The panels must be stopped. */
import { existsSync } from "node:fs";
import type { CopiedTable, StoreCopy, StoreLocation } from "@triptych/storage";
import { copyBlobs } from "./copy-blobs.ts";
import { panelStore } from "./open-store.ts";
import { openPanelStore } from "./store-location.ts";

export async function copyPanel(copy: StoreCopy): Promise<readonly CopiedTable[]> {
  let rows = 0;
  const tables = await panelStore.copy(copy, async (source, target) => {
    await refuseUsed(target);
    rows = await copyBlobs(source, target, (copied) => copy.onProgress({ table: BLOBS, copied, total: copied }));
  });
  return tables.length === 0 ? [] : [...tables, { table: BLOBS, rows }];
}

const BLOBS = "blob";

/** Checked before the first blob is copied; later writes are caught when the rows are copied. */
async function refuseUsed(location: StoreLocation): Promise<void> {
  if (location.databaseUrl === undefined && !existsSync(panelStore.fileIn(location.dataFolder))) return;
  await using store = await openPanelStore(location);
  if (!(await store.system.isEmpty())) throw new Error("The target store is not empty: it has accounts.");
}
