/** Copies the rail's store between a data folder and PostgreSQL, in either direction. The service must be stopped. */
import { copyStore, acquireFileLock, holdsStore, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { RAIL_MIGRATIONS, RAIL_TRANSIENT_TABLES } from "./migrations.ts";
import { addressOf, lockIn } from "./open-store.ts";

export interface RailCopy {
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyRail({ from, to, onProgress }: RailCopy): Promise<readonly CopiedTable[]> {
  await using locks = new AsyncDisposableStack();
  if (!(await holdsStore(toAddress(from)))) return [];
  for (const location of [from, to]) if (!isPostgres(location)) locks.use(await acquireFileLock(lockIn(location)));
  const addresses = { from: toAddress(from), to: toAddress(to) };
  return await copyStore({ ...addresses, migrations: RAIL_MIGRATIONS, skip: RAIL_TRANSIENT_TABLES, onProgress });
}

function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}

function toAddress(location: string) {
  return isPostgres(location)
    ? addressOf({ dataFolder: ".", databaseUrl: location })
    : addressOf({ dataFolder: location, databaseUrl: undefined });
}
