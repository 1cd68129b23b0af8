/**
 * Builds a snapshot, or reads and checks the index of one, in a thread of its own: both keep a processor busy for seconds when the
 * data are large, and the thread that serves must not notice. The index comes back in shared memory, without a copy.
 *
 * This file is both sides: imported, it starts the thread; run as the thread, it does the work.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openDatabase } from "@triptych/storage";
import {
  buildIndex,
  readSnapshotIndex,
  SnapshotRefused,
  type BuiltIndex,
  type SnapshotIndex,
} from "../domain/index/index.ts";
import { createEditions } from "./editions.ts";
import { DIRECTORY_MIGRATIONS } from "./migrations.ts";
import { snapshotFiles } from "./snapshot-files.ts";
import { openSnapshotReader } from "./snapshot-reader.ts";
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

type Task = { readonly kind: "build"; readonly build: BuildTask } | { readonly kind: "open"; readonly path: string };
type Answer =
  | { readonly kind: "built"; readonly built: BuiltSnapshot }
  | { readonly kind: "opened"; readonly index: SnapshotIndex }
  | { readonly kind: "refused"; readonly reason: string };

const THIS_THREAD = "triptych-snapshot-worker";

/** Writes the snapshot of a version under a passing name. */
export async function buildInWorker(build: BuildTask): Promise<BuiltSnapshot> {
  const answer = await run({ kind: "build", build });
  if (answer.kind !== "built") throw new Error("the snapshot thread answered another question");
  return answer.built;
}

/** Throws `SnapshotRefused` as `readSnapshotIndex` does. */
export async function openInWorker(path: string): Promise<SnapshotIndex> {
  const answer = await run({ kind: "open", path });
  if (answer.kind === "refused") throw new SnapshotRefused(answer.reason);
  if (answer.kind !== "opened") throw new Error("the snapshot thread answered another question");
  return answer.index;
}

function run(task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { name: THIS_THREAD, workerData: { [THIS_THREAD]: task } });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the snapshot thread ended with ${code} and no answer`)));
  });
}

async function work(task: Task): Promise<Answer> {
  if (task.kind === "build") return { kind: "built", built: await build(task.build) };
  const reader = openSnapshotReader(task.path);
  try {
    return { kind: "opened", index: await readSnapshotIndex(reader.source) };
  } catch (error) {
    if (error instanceof SnapshotRefused) return { kind: "refused", reason: error.message };
    throw error;
  } finally {
    reader.close();
  }
}

async function build({ place, folder, version }: BuildTask): Promise<BuiltSnapshot> {
  await using database = await openDatabase<DirectoryTables>({
    ...place,
    migrations: DIRECTORY_MIGRATIONS,
    readOnly: true,
  });
  const editions = createEditions(database, () => Promise.resolve(null));
  return await snapshotFiles(folder).write(async (sink) =>
    buildIndex({ items: editions.items(version), tagLabels: await editions.labels(version) }, sink),
  );
}

function taskOfThisThread(): Task | null {
  const given: unknown = workerData;
  if (isMainThread || typeof given !== "object" || given === null || !(THIS_THREAD in given)) return null;
  // `run` above is the only one to give it.
  return given[THIS_THREAD] as Task;
}

const task = taskOfThisThread();
const port = parentPort;
if (task !== null && port !== null) port.postMessage(await work(task));
