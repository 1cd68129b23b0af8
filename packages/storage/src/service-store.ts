/**
 * The store of one service: the SQLite file `NAME.db` in the data folder, or the schema NAME of a PostgreSQL database.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { backupSqlite, separateFromLog } from "./backup/sqlite-backup.ts";
import type { Database } from "./database.ts";
import { openDatabase, type OpenOptions } from "./open-database.ts";
import { acquireFileLock, type Lock } from "./file-lock.ts";
import type { MigrationSource } from "./migrations/migrate.ts";
import {
  type CopiedTable,
  type CopyProgress,
  copyStore,
  holdsStore,
  type StoreAddress,
  usedTable,
} from "./transfer/transfer-store.ts";

export interface StoreLocation {
  readonly dataFolder: string;
  /** PostgreSQL URL; undefined selects SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
}

export interface ServiceStoreOptions {
  readonly name: string;
  readonly migrations: readonly MigrationSource[];
  /** Tables that a copy skips, because the service rebuilds them or their rows expire within minutes. */
  readonly transient?: readonly string[];
  /** Whether only one process may use the SQLite file, because it caches data that another process would change. */
  readonly isExclusive?: boolean;
}

export interface StoreCopy {
  /** A data folder, or the URL of a PostgreSQL database. */
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface StoreBackup {
  readonly from: StoreLocation;
  /** The backup folder, which has the structure of a data folder. */
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** Result of checking a store. A store and its copy have equal facts. */
export interface StoreCheck {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly issues: readonly string[];
}

type Open = Pick<OpenOptions, "readOnly" | "sync" | "connections">;

export interface ServiceStore<Schema> {
  addressOf(location: StoreLocation): StoreAddress;
  fileIn(dataFolder: string): string;
  open(location: StoreLocation, options?: Open): Promise<Database<Schema>>;
  /** Null on PostgreSQL. Rejects with `FileLockHeldError` while another process uses the SQLite file. */
  lock(location: StoreLocation): Promise<Lock | null>;
  /** Whether a store exists. Creates nothing. */
  exists(location: StoreLocation): Promise<boolean>;
  /** Whether a store exists and contains rows of its service. */
  isUsed(location: StoreLocation): Promise<boolean>;
  /** Applies pending migrations. */
  migrate(location: StoreLocation): Promise<void>;
  /** Writes a consistent copy as an SQLite file while the service runs. */
  backup(backup: StoreBackup): Promise<void>;
  /**
   * Copies all rows; the service must be stopped. `prepare` runs first, under the locks. Returns an empty list if there
   * is no store at `from`.
   */
  copy(
    copy: StoreCopy,
    prepare?: (from: StoreLocation, to: StoreLocation) => Promise<void>,
  ): Promise<readonly CopiedTable[]>;
}

export function createServiceStore<Schema>(options: ServiceStoreOptions): ServiceStore<Schema> {
  const { name, migrations, transient = [], isExclusive = false } = options;
  const fileIn = (dataFolder: string) => resolve(dataFolder, `${name}.db`);
  const addressOf = ({ dataFolder, databaseUrl }: StoreLocation): StoreAddress => {
    return { url: databaseUrl ?? `sqlite:${fileIn(dataFolder)}`, schema: name };
  };
  const lock = async ({ dataFolder, databaseUrl }: StoreLocation): Promise<Lock | null> =>
    databaseUrl === undefined ? await acquireFileLock(resolve(dataFolder, `${name}.lock`)) : null;

  const open: ServiceStore<Schema>["open"] = async (location, settings) => {
    if (location.databaseUrl === undefined) await mkdir(location.dataFolder, { recursive: true, mode: 0o700 });
    return await openDatabase<Schema>({ ...addressOf(location), migrations, ...settings });
  };

  return {
    addressOf,
    fileIn,
    lock,
    open,
    migrate: async (location) => (await open(location)).close(),
    exists: (location) => holdsStore(addressOf(location)),
    async isUsed(location) {
      const address = addressOf(location);
      return (await holdsStore(address)) && (await usedTable(address, { migrations, skip: transient })) !== null;
    },
    async backup({ from, to, onProgress }) {
      await mkdir(to, { recursive: true, mode: 0o700 });
      const target: StoreLocation = { dataFolder: to, databaseUrl: undefined };
      if (from.databaseUrl === undefined) {
        const report = (pages: { readonly copied: number; readonly total: number }) =>
          onProgress({ table: "pages", ...pages });
        await backupSqlite(fileIn(from.dataFolder), fileIn(to), report);
        return;
      }
      const [source, copied] = [addressOf(from), addressOf(target)];
      await copyStore({ from: source, to: copied, migrations, skip: transient, onProgress });
      separateFromLog(fileIn(to));
    },
    async copy({ from, to, onProgress }, prepare) {
      const [source, target] = [locationOf(from), locationOf(to)];
      if (!(await holdsStore(addressOf(source)))) return [];
      await using locks = new AsyncDisposableStack();
      if (isExclusive) for (const location of [source, target]) locks.use(await lock(location));
      await prepare?.(source, target);
      return await copyStore({
        from: addressOf(source),
        to: addressOf(target),
        migrations,
        skip: transient,
        onProgress,
      });
    },
  };
}

/** A data folder, or the URL of a PostgreSQL database. */
export function locationOf(address: string): StoreLocation {
  return /^postgres(ql)?:\/\//.test(address)
    ? { dataFolder: ".", databaseUrl: address }
    : { dataFolder: address, databaseUrl: undefined };
}

/** Another process may be writing its section of `credentials.json`. */
const CREDENTIALS_WAIT_MS = 10_000;

export function lockCredentials(dataFolder: string): Promise<Lock> {
  return acquireFileLock(join(dataFolder, "credentials.lock"), { wait: CREDENTIALS_WAIT_MS });
}
