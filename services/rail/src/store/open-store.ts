/** Only one process may write to an embedded store: it holds a file lock, and a second process is rejected. */
import { FileLockHeldError, type Database, type StoreLocation } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { railStore } from "./migrations.ts";
import { openLedger } from "./open-ledger.ts";
import type { RailTables } from "./tables.ts";

export interface RailStoreLocation extends StoreLocation {
  /** SQLite only: whether each commit waits for the disk. */
  readonly sync?: "full" | "normal";
}

export interface OpenStore extends AsyncDisposable {
  readonly database: Database<RailTables>;
  readonly ledger: Ledger;
}

export async function openStore(location: RailStoreLocation): Promise<OpenStore> {
  await using opened = new AsyncDisposableStack();
  opened.use(await railStore.lock(location));
  const database = await railStore.open(location, location.sync && { sync: location.sync });
  const ledger = opened.use(openLedger(database));
  const parts = opened.move();
  return { database, ledger, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Whether another process has the embedded store open. */
export async function isStoreLocked(location: StoreLocation): Promise<boolean> {
  try {
    await using _lock = await railStore.lock(location);
    return false;
  } catch (error) {
    if (error instanceof FileLockHeldError) return true;
    throw error;
  }
}
