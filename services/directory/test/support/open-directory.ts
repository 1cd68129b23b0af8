/** A disposable directory store in its own folder, with its reported events. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Database } from "@triptych/storage";
import type { StoredItem } from "../../src/domain/catalogue.ts";
import type { Publication } from "../../src/domain/publish.ts";
import { createDirectoryStore, type DirectoryStore, type StoreEvent } from "../../src/store/directory-store.ts";
import type { StoreLocation } from "../../src/store/snapshot-worker.ts";
import { DIRECTORY_MIGRATIONS, DIRECTORY_SCHEMA, type StoreTables } from "../../src/store/tables.ts";

export interface OpenDirectory extends AsyncDisposable {
  readonly database: Database<StoreTables>;
  readonly store: DirectoryStore;
  readonly folder: string;
  readonly events: StoreEvent[];
  /** Advances the clock. */
  pass(ms: number): void;
  now(): number;
  /** Publishes these items, either beside the existing ones or instead of them. */
  publishItems(items: readonly StoredItem[], options?: { readonly alone: boolean }): Promise<Publication>;
  /** Another store on the same database, like another process; with its own folder, like another node. */
  beside(options?: { readonly indexBytes?: number; readonly folder?: string }): DirectoryStore;
}

export interface OpenDirectoryOptions {
  readonly engine?: "memory" | "postgres";
  readonly location?: StoreLocation | null;
  /** A store opened by the test; default: SQLite in memory. */
  readonly database?: Database<StoreTables>;
}

export async function openDirectory({
  database: existing,
  engine = "memory",
  location = null,
}: OpenDirectoryOptions = {}): Promise<OpenDirectory> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-directory-"));
  const database =
    existing ??
    (await openDatabase<StoreTables>({
      url: "sqlite::memory:",
      schema: DIRECTORY_SCHEMA,
      migrations: DIRECTORY_MIGRATIONS,
    }));
  const events: StoreEvent[] = [];
  let now = Date.UTC(2026, 10, 20);
  const beside: OpenDirectory["beside"] = ({ indexBytes = 1e9, folder: dataFolder = folder } = {}) =>
    createDirectoryStore({
      database,
      location,
      dataFolder,
      engine,
      indexBytes,
      report: (event) => events.push(event),
      now: () => now,
    });
  const store = beside();
  return {
    database,
    store,
    folder,
    events,
    now: () => now,
    beside,
    pass: (ms) => {
      now += ms;
    },
    publishItems: (items, { alone } = { alone: false }) =>
      store.publish({
        cause: "test",
        async apply(staging) {
          if (alone) await staging.clear();
          await staging.upsert(items, now);
        },
      }),
    async [Symbol.asyncDispose]() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
