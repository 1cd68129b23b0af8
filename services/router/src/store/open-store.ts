import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createWriteProbe, openDatabase, type Database, type WriteProbe } from "@triptych/storage";
import type { FeedbackStore, HeadFiles, HeadStore } from "../domain/heads/head-store.ts";
import { openFeedbackStore } from "./feedback-store.ts";
import { filesInFolder, filesInRows } from "./head-files.ts";
import { openHeadStore } from "./head-store.ts";
import { ROUTER_MIGRATIONS, ROUTER_SCHEMA } from "./migrations.ts";
import type { RouterTables } from "./tables.ts";

export interface StoreLocation {
  readonly dataFolder: string;
  /** PostgreSQL URL; undefined selects SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
}

export interface RouterStore extends AsyncDisposable {
  readonly heads: HeadStore;
  readonly files: HeadFiles;
  readonly feedback: FeedbackStore;
  readonly writeError: WriteProbe;
}

export async function openStore(location: StoreLocation): Promise<RouterStore> {
  if (location.databaseUrl === undefined) await mkdir(location.dataFolder, { recursive: true, mode: 0o700 });
  const database = await openDatabase<RouterTables>({ ...addressOf(location), migrations: ROUTER_MIGRATIONS });
  return storeOn(database, filesOf(location, database));
}

export function storeOn(database: Database<RouterTables>, files: HeadFiles): RouterStore {
  return {
    heads: openHeadStore(database),
    feedback: openFeedbackStore(database),
    files,
    writeError: createWriteProbe(database),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

export function filesOf({ dataFolder, databaseUrl }: StoreLocation, database: Database<RouterTables>): HeadFiles {
  return databaseUrl === undefined ? filesInFolder(join(resolve(dataFolder), "heads")) : filesInRows(database);
}

export function addressOf({ dataFolder, databaseUrl }: StoreLocation) {
  return { url: databaseUrl ?? `sqlite:${storeFile(dataFolder)}`, schema: ROUTER_SCHEMA };
}

export function storeFile(dataFolder: string): string {
  return resolve(dataFolder, "router.db");
}
