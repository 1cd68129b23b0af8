/** Blobs as files named by hash, on a local or shared disk. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Blobs } from "../domain/delivery-repositories.ts";

const NAME = /^[0-9a-f]{64}$/;

export async function fileBlobs(folder: string): Promise<Blobs> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (sha256: string) => join(folder, sha256);
  return {
    // Replaces an existing file: its new time protects it from a concurrent sweep.
    async keep(path, sha256) {
      await sync(path);
      await rename(path, pathOf(sha256));
      await sync(folder);
    },
    async read(sha256) {
      return (await exists(pathOf(sha256))) ? createReadStream(pathOf(sha256)) : null;
    },
    async withFile(sha256, work) {
      return (await exists(pathOf(sha256))) ? work(pathOf(sha256)) : null;
    },
    async sweep(storedBefore, isNeeded) {
      let swept = 0;
      for (const name of await readdir(folder)) {
        const path = pathOf(name);
        if (!NAME.test(name) || !(await isOld(path, storedBefore)) || (await isNeeded(name))) continue;
        if (await removeOld(path, storedBefore)) swept++;
      }
      return swept;
    },
  };
}

/** Moves the file aside and checks its age again: if it was stored again in between, it is moved back. */
async function removeOld(path: string, storedBefore: number): Promise<boolean> {
  const aside = `${path}.gone`;
  await rename(path, aside);
  if (!(await isOld(aside, storedBefore))) {
    await rename(aside, path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function isOld(path: string, before: number): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats !== null && stats.mtimeMs < before;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
