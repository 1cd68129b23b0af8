/** Moves the rail's store between a data folder and PostgreSQL, in either direction. The service must be stopped. */
import { copyStore, holdExclusive, holdsStore, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { RAIL_MIGRATIONS, RAIL_TRANSIENT_TABLES } from "./migrations.ts";
import { addressOf, lockIn } from "./open-store.ts";

export interface RailCopy {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyRail({ from, to, onProgress }: RailCopy): Promise<readonly CopiedTable[]> {
  await using locks = new AsyncDisposableStack();
  if (!(await holdsStore(placeOf(from)))) return [];
  for (const place of [from, to]) if (!isPostgres(place)) locks.use(await holdExclusive(lockIn(place)));
  const places = { from: placeOf(from), to: placeOf(to) };
  return await copyStore({ ...places, migrations: RAIL_MIGRATIONS, skip: RAIL_TRANSIENT_TABLES, onProgress });
}

function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

function placeOf(place: string) {
  return isPostgres(place)
    ? addressOf({ dataFolder: ".", databaseUrl: place })
    : addressOf({ dataFolder: place, databaseUrl: undefined });
}
