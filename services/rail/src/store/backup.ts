/**
 * A consistent copy of the ledger in one SQLite file, used as the backup and transfer format of both engines. Copying
 * the files of a running store would miss the write-ahead log.
 */
import { rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { backupSqlite, copyStore, openDatabase, type StoreCheck, type StoreLocation } from "@triptych/storage";
import { RAIL_MIGRATIONS, RAIL_SCHEMA, RAIL_TRANSIENT_TABLES, railStore } from "./migrations.ts";
import { openLedger } from "./open-ledger.ts";
import { openStore } from "./open-store.ts";
import type { RailTables } from "./tables.ts";

const COPIED = { migrations: RAIL_MIGRATIONS, skip: RAIL_TRANSIENT_TABLES };

/** Can run while the rail is running. The file must not exist. */
export async function backupStore(location: StoreLocation, file: string): Promise<void> {
  await makeFile(file);
  try {
    if (location.databaseUrl === undefined) await backupSqlite(railStore.fileIn(location.dataFolder), file);
    else await copyStore({ from: railStore.addressOf(location), to: fileAddress(file), ...COPIED });
  } catch (error) {
    await removeFile(file);
    throw error;
  }
}

/** Restores a backup into an empty store. No other process may have it open. */
export async function restoreStore(file: string, location: StoreLocation): Promise<void> {
  await stat(file);
  await (await openStore(location))[Symbol.asyncDispose]();
  await copyStore({ from: fileAddress(file), to: railStore.addressOf(location), ...COPIED });
}

/** Totals of all accounts, which are equal in a ledger and its copy. */
export async function totalsOf(
  location: StoreLocation | { readonly file: string },
): Promise<ReadonlyMap<string, number>> {
  const address = "file" in location ? fileAddress(location.file) : railStore.addressOf(location);
  const database = await openDatabase<RailTables>({ ...address, migrations: RAIL_MIGRATIONS, readOnly: true });
  await using ledger = openLedger(database);
  return await ledger.accountTotals();
}

/** Runs the whole audit, except for signatures, which need a running rail. */
export async function checkStore(location: StoreLocation): Promise<StoreCheck> {
  await using ledger = openLedger(await railStore.open(location, { readOnly: true }));
  const { entries, transfers, violations } = await ledger.audit();
  return {
    facts: { entries, transfers, accounts: (await ledger.accountTotals()).size },
    issues: violations.map(({ invariant, subject, message }) => `${invariant} ${subject}: ${message}`),
  };
}

function fileAddress(file: string) {
  return { url: `sqlite:${resolve(file)}`, schema: RAIL_SCHEMA };
}

/**
 * Creates the file with private permissions before the first byte is written. SQLite's own error would name neither the
 * file nor the reason.
 */
async function makeFile(file: string): Promise<void> {
  const folder = dirname(resolve(file));
  if ((await stat(folder).catch(() => null))?.isDirectory() !== true)
    throw new Error(`The folder ${folder} does not exist. Create it, or choose another file.`);
  try {
    await writeFile(file, "", { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if ((await stat(file).catch(() => null)) === null) throw cause;
    throw new Error(`${file} already exists. Choose another file: a backup never overwrites one.`, { cause });
  }
}

async function removeFile(file: string): Promise<void> {
  for (const end of ["", "-wal", "-shm", "-journal"]) await rm(file + end, { force: true });
}
