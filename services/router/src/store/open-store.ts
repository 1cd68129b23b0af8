import { join, resolve } from "node:path";
import { createWriteProbe, type Database, type StoreLocation, type WriteProbe } from "@triptych/storage";
import type { FeedbackStore, HeadFiles, HeadStore } from "../domain/heads/head-store.ts";
import { openFeedbackStore } from "./feedback-store.ts";
import { filesInFolder, filesInRows } from "./head-files.ts";
import { openHeadStore } from "./head-store.ts";
import { routerStore } from "./migrations.ts";
import type { RouterTables } from "./tables.ts";

export interface RouterStore extends AsyncDisposable {
  readonly heads: HeadStore;
  readonly files: HeadFiles;
  readonly feedback: FeedbackStore;
  readonly writeError: WriteProbe;
}

export async function openStore(location: StoreLocation): Promise<RouterStore> {
  const database = await routerStore.open(location);
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
