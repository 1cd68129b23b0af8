/** In either direction; the service must be stopped. */
import { join, resolve } from "node:path";
import { rollUpUsage, meteringNotCopied } from "@triptych/usage-metering";
import {
  copyStore,
  acquireFileLock,
  holdsStore,
  openDatabase,
  type CopiedTable,
  type CopyProgress,
} from "@triptych/storage";
import { DIRECTORY_MIGRATIONS, DIRECTORY_SCHEMA, type StoreTables } from "./migrations.ts";

export interface DirectoryCopy {
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** Rebuilt by the service: snapshots from items, admissions from rows. */
const REMADE = ["snapshot_part", ...meteringNotCopied];

export async function copyDirectory({ from, to, onProgress }: DirectoryCopy): Promise<readonly CopiedTable[]> {
  await using locks = new AsyncDisposableStack();
  if (!(await holdsStore(address(from)))) return [];
  for (const location of [from, to]) {
    if (!isPostgres(location)) locks.use(await acquireFileLock(lockIn(location)));
  }
  if (!isPostgres(from)) await completeSums(from);
  return await copyStore({
    from: address(from),
    to: address(to),
    migrations: DIRECTORY_MIGRATIONS,
    skip: REMADE,
    onProgress,
  });
}

/** Completes the sums that a killed process left behind. */
async function completeSums(dataFolder: string): Promise<void> {
  const store = { ...address(dataFolder), migrations: DIRECTORY_MIGRATIONS };
  // Read-only first, so that a missing or outdated store is rejected instead of created.
  await (await openDatabase<StoreTables>({ ...store, readOnly: true })).close();
  await using database = await openDatabase<StoreTables>(store);
  await rollUpUsage(database);
}

function address(location: string) {
  return { url: urlOf(location), schema: DIRECTORY_SCHEMA };
}

export function lockIn(dataFolder: string): string {
  return join(resolve(dataFolder), "directory.lock");
}

function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}

function urlOf(location: string): string {
  return isPostgres(location) ? location : `sqlite:${storeFile(location)}`;
}

function storeFile(dataFolder: string): string {
  return join(resolve(dataFolder), "directory.db");
}
