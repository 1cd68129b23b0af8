/**
 * Copies the directory's store between a data folder and PostgreSQL, in either direction. The service must be stopped.
 */
import { join, resolve } from "node:path";
import { bringSumsUpToDate, meteringNotCopied } from "@triptych/metering";
import {
  copyStore,
  holdExclusive,
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
  for (const place of [from, to]) {
    if (!isPostgres(place)) locks.use(await holdExclusive(lockIn(place)));
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
  await bringSumsUpToDate(database);
}

function address(place: string) {
  return { url: urlOf(place), schema: DIRECTORY_SCHEMA };
}

/** Lock file of a running embedded directory. */
export function lockIn(dataFolder: string): string {
  return join(resolve(dataFolder), "directory.lock");
}

function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

function urlOf(place: string): string {
  return isPostgres(place) ? place : `sqlite:${storeFile(place)}`;
}

function storeFile(dataFolder: string): string {
  return join(resolve(dataFolder), "directory.db");
}
