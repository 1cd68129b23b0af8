/**
 * A folder that appears complete or not at all: it is written as `NAME.partial`, synced, and renamed. The next run
 * replaces what a killed process leaves behind.
 */
import { lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { acquireFileLock } from "@triptych/storage";

/** Locks the folder and marks it as created by these commands; only such a folder is emptied. */
const LOCK = "partial.lock";

export interface PartialFolder extends AsyncDisposable {
  readonly path: string;
  /** Renames the folder to its final name. If this was not called, disposal removes everything. */
  finish(): Promise<void>;
}

/** Why the folder cannot be created; null if it can. Creates nothing. */
export async function folderIssue(path: string): Promise<string | null> {
  const parent = await stat(dirname(path)).catch(() => null);
  if (parent?.isDirectory() !== true)
    return `The folder ${dirname(path)} does not exist. Create it, or choose another.`;
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  if (!found.isDirectory()) return `${path} is not a folder.`;
  const names = await readdir(path);
  if (names.length > 0) return `${path} is not empty. Choose another folder.`;
  if (found.dev !== parent.dev) return `${path} is the root of a volume. Choose a new folder in it.`;
  return null;
}

export async function openPartialFolder(target: string): Promise<PartialFolder> {
  const path = `${resolve(target)}.partial`;
  const names = await readdir(path).catch((): string[] => []);
  if (names.length > 0 && !names.includes(LOCK))
    throw new Error(
      `${path} already exists and was not created by a backup or restore. Remove it, or choose another folder.`,
    );
  await mkdir(path, { recursive: true, mode: 0o700 });
  const lock = await acquireFileLock(join(path, LOCK)).catch((cause: unknown) => {
    throw new Error(`Another backup or restore is writing ${path}.`, { cause });
  });
  for (const name of names) if (name !== LOCK) await rm(join(path, name), { recursive: true, force: true });
  let isFinished = false;
  return {
    path,
    async finish() {
      await syncAll(path);
      // Rename together with the lock file: a process killed in between must not leave a folder that the next run does
      // not recognize.
      await rename(path, target);
      isFinished = true;
      await lock.release();
      await rm(join(target, LOCK), { force: true });
      await syncOne(dirname(resolve(target)));
    },
    async [Symbol.asyncDispose]() {
      if (isFinished) return;
      // Remove the lock file last, so that the folder stays recognizable until then.
      for (const name of await readdir(path).catch(() => []))
        if (name !== LOCK) await rm(join(path, name), { recursive: true, force: true });
      await lock.release();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Paths of all files in a folder, relative to it, with slashes. */
export async function filesIn(folder: string, within = ""): Promise<string[]> {
  const entries = await readdir(join(folder, within), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = within === "" ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await filesIn(folder, path)));
    else if (basename(path) !== LOCK) paths.push(path);
  }
  return paths;
}

async function syncAll(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries)
    await (entry.isDirectory() ? syncAll(join(path, entry.name)) : syncOne(join(path, entry.name)));
  await syncOne(path);
}

async function syncOne(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
