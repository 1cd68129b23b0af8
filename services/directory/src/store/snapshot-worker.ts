/**
 * Builds a snapshot in a thread of its own: it keeps a processor busy for seconds when the data are large, and the thread that
 * serves must not notice.
 *
 * This file is both sides: imported, it starts the thread; run as the thread, it does the work.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openDatabase } from "@triptych/storage";
import { buildIndex, type BuiltIndex } from "../domain/index/index.ts";
import { createEditions } from "./editions.ts";
import { DIRECTORY_MIGRATIONS } from "./migrations.ts";
import { snapshotFiles } from "./snapshot-files.ts";
import type { DirectoryTables } from "./tables.ts";

/** A store that other threads can open too. */
export interface StorePlace {
  readonly url: string;
  /** PostgreSQL schema. */
  readonly schema: string;
}

export interface BuildTask {
  readonly place: StorePlace;
  readonly folder: string;
  readonly version: number;
}

export interface BuiltSnapshot {
  readonly path: string;
  readonly result: BuiltIndex;
}

const THIS_THREAD = "triptych-snapshot-worker";

/** Writes the snapshot of a version under a passing name. */
export function buildInWorker(task: BuildTask): Promise<BuiltSnapshot> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { name: THIS_THREAD, workerData: { [THIS_THREAD]: task } });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the snapshot thread ended with ${code} and no answer`)));
  });
}

async function build({ place, folder, version }: BuildTask): Promise<BuiltSnapshot> {
  await using database = await openDatabase<DirectoryTables>({
    ...place,
    migrations: DIRECTORY_MIGRATIONS,
    readOnly: true,
  });
  const editions = createEditions(database, () => Promise.resolve(null));
  return await snapshotFiles(folder).write(async (sink) =>
    buildIndex({ items: editions.storedItems(version), tagLabels: await editions.labels(version) }, sink),
  );
}

function taskOfThisThread(): BuildTask | null {
  const given: unknown = workerData;
  if (isMainThread || typeof given !== "object" || given === null || !(THIS_THREAD in given)) return null;
  // `buildInWorker` is the only one to give it.
  return given[THIS_THREAD] as BuildTask;
}

const task = taskOfThisThread();
const port = parentPort;
// Not waited for at the top of this module: V8 ends the whole process where a thread is ended meanwhile.
if (task !== null && port !== null) void build(task).then((built) => port.postMessage(built));
