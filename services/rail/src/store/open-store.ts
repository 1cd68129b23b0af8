/**
 * Opens the configured store: SQLite in the data folder, or PostgreSQL. An embedded store allows one process: a writer
 * holds a file lock, and a second one is refused.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { acquireFileLock, FileLockHeldError, openDatabase, type Database } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { RAIL_MIGRATIONS, RAIL_SCHEMA } from "./migrations.ts";
import { openLedger } from "./open-ledger.ts";
import type { RailTables } from "./tables.ts";

export interface StoreLocation {
  readonly dataFolder: string;
  /** PostgreSQL URL; undefined: SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
  /** SQLite only: whether each commit waits for the disk. */
  readonly sync?: "full" | "normal";
}

export interface OpenStore extends AsyncDisposable {
  readonly database: Database<RailTables>;
  readonly ledger: Ledger;
}

export async function openStore(location: StoreLocation): Promise<OpenStore> {
  await using opened = new AsyncDisposableStack();
  if (location.databaseUrl === undefined) {
    await mkdir(location.dataFolder, { recursive: true, mode: 0o700 });
    opened.use(await acquireFileLock(lockIn(location.dataFolder)));
  }
  const database = await openDatabase<RailTables>({
    ...addressOf(location),
    migrations: RAIL_MIGRATIONS,
    ...(location.sync && { sync: location.sync }),
  });
  const ledger = opened.use(openLedger(database));
  const parts = opened.move();
  return { database, ledger, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Whether another process has the embedded store open. */
export async function isStoreLocked({ dataFolder, databaseUrl }: StoreLocation): Promise<boolean> {
  if (databaseUrl !== undefined) return false;
  try {
    await using _lock = await acquireFileLock(lockIn(dataFolder));
    return false;
  } catch (error) {
    if (error instanceof FileLockHeldError) return true;
    throw error;
  }
}

export function addressOf({ dataFolder, databaseUrl }: StoreLocation) {
  return { url: databaseUrl ?? `sqlite:${storeFile(dataFolder)}`, schema: RAIL_SCHEMA };
}

export function storeFile(dataFolder: string): string {
  return resolve(dataFolder, "rail.db");
}

export function lockIn(dataFolder: string): string {
  return join(resolve(dataFolder), "rail.lock");
}
