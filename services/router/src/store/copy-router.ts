/** Copies the store between a data folder and PostgreSQL, in either direction: rows, then the files that they name. */
import { copyStore, holdsStore, openDatabase, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { ROUTER_MIGRATIONS } from "./migrations.ts";
import { addressOf, filesOf } from "./open-store.ts";
import type { RouterTables } from "./tables.ts";

export interface RouterCopy {
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyRouter({ from, to, onProgress }: RouterCopy): Promise<readonly CopiedTable[]> {
  const [source, target] = [storeOptionsOf(from), storeOptionsOf(to)];
  if (!(await holdsStore(addressOf(source)))) return [];
  const addresses = { from: addressOf(source), to: addressOf(target) };
  const copied = await copyStore({ ...addresses, migrations: ROUTER_MIGRATIONS, skip: ["head_file"], onProgress });
  await copyFiles(source, target);
  return copied;
}

async function copyFiles(source: StoreOptions, target: StoreOptions): Promise<void> {
  const migrations = ROUTER_MIGRATIONS;
  await using from = await openDatabase<RouterTables>({ ...addressOf(source), migrations, readOnly: true });
  await using to = await openDatabase<RouterTables>({ ...addressOf(target), migrations });
  const [read, written] = [filesOf(source, from), filesOf(target, to)];
  const rows = await from.db.selectFrom("head").select(["id", "sha256"]).where("sha256", "is not", null).execute();
  for (const { id, sha256 } of rows) {
    const key = { headId: id, sha256: sha256 ?? "" };
    const bytes = await read.get(key);
    if (bytes !== null) await written.write(key, bytes);
  }
}

type StoreOptions = ReturnType<typeof storeOptionsOf>;

function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}

function storeOptionsOf(location: string) {
  return isPostgres(location)
    ? { dataFolder: ".", databaseUrl: location }
    : { dataFolder: location, databaseUrl: undefined };
}
