/**
 * A folder that appears complete or not at all: written as `NAME.partial`, synced, and renamed. What a killed process
 * leaves behind is replaced by the next one.
 */
import { lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { acquireFileLock } from "@triptych/storage";

/** Locks the folder, and marks it as ours: only such a folder is emptied. */
const LOCK = "partial.lock";

export interface PartialFolder extends AsyncDisposable {
  readonly path: string;
  /** Makes it the final folder. Without it, disposal removes everything. */
  finish(): Promise<void>;
}

/** Why a folder cannot become the final one; null if it can. Creates nothing. */
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
    throw new Error(`${path} is in the way, and not from a backup or restore. Remove it, or choose another folder.`);
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
      // With its lock: a process that is killed in between must not leave a folder that the next one does not recognize.
      await rename(path, target);
      isFinished = true;
      await lock.release();
      await rm(join(target, LOCK), { force: true });
      await syncOne(dirname(resolve(target)));
    },
    async [Symbol.asyncDispose]() {
      if (isFinished) return;
      // The lock last: until then, the folder is recognized as ours.
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
