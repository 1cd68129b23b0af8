/**
 * Builds a snapshot in a worker thread, because seconds of CPU work must not block the serving thread.
 *
 * This file is both sides: imported, it starts the thread; run as the thread, it does the work.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openDatabase } from "@triptych/storage";
import { buildIndex, type BuiltIndex } from "../domain/index/build.ts";
import { createPublishedVersions } from "./published-versions.ts";
import { DIRECTORY_MIGRATIONS } from "./tables.ts";
import { snapshotFiles } from "./snapshot-files.ts";
import type { DirectoryTables } from "./tables.ts";

export interface StoreLocation {
  readonly url: string;
  readonly schema: string;
}

export interface BuildTask {
  readonly location: StoreLocation;
  readonly folder: string;
  readonly version: number;
}

export interface BuiltSnapshot {
  readonly path: string;
  readonly result: BuiltIndex;
}

const THIS_THREAD = "triptych-snapshot-worker";

export function buildInWorker(task: BuildTask): Promise<BuiltSnapshot> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { name: THIS_THREAD, workerData: { [THIS_THREAD]: task } });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the snapshot thread exited with ${code} before replying`)));
  });
}

async function build({ location, folder, version }: BuildTask): Promise<BuiltSnapshot> {
  await using database = await openDatabase<DirectoryTables>({
    ...location,
    migrations: DIRECTORY_MIGRATIONS,
    readOnly: true,
  });
  const versions = createPublishedVersions(database, () => Promise.resolve(null));
  return await snapshotFiles(folder).write(async (sink) =>
    buildIndex({ items: versions.items(version), tagLabels: await versions.labels(version) }, sink),
  );
}

function taskOfThisThread(): BuildTask | null {
  const data: unknown = workerData;
  if (isMainThread || typeof data !== "object" || data === null || !(THIS_THREAD in data)) return null;
  // Only `buildInWorker` sets it.
  return data[THIS_THREAD] as BuildTask;
}

const task = taskOfThisThread();
const port = parentPort;
// No top-level await: V8 aborts the process if the thread is terminated in the meantime.
if (task !== null && port !== null) void build(task).then((built) => port.postMessage(built));
