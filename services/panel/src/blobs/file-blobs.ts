/** Blobs as files named by their hash, on this machine's disk or on one that all nodes share. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Blobs } from "../domain/blobs.ts";

const NAME = /^[0-9a-f]{64}$/;

export async function fileBlobs(folder: string): Promise<Blobs> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const placeOf = (sha256: string) => join(folder, sha256);
  return {
    // Always moved over what is there: a sweep that has just looked finds a young file and leaves it.
    async keep(path, sha256) {
      await sync(path);
      await rename(path, placeOf(sha256));
      await sync(folder);
    },
    async read(sha256) {
      return (await isThere(placeOf(sha256))) ? createReadStream(placeOf(sha256)) : null;
    },
    async withFile(sha256, work) {
      return (await isThere(placeOf(sha256))) ? work(placeOf(sha256)) : null;
    },
    async sweep(keptBefore, isNeeded) {
      let swept = 0;
      for (const name of await readdir(folder)) {
        const place = placeOf(name);
        if (!NAME.test(name) || !(await isOld(place, keptBefore)) || (await isNeeded(name))) continue;
        if (await removeOld(place, keptBefore)) swept++;
      }
      return swept;
    },
  };
}

/** Moved aside and looked at once more: one that was kept again between the two looks goes back. */
async function removeOld(place: string, keptBefore: number): Promise<boolean> {
  const aside = `${place}.gone`;
  await rename(place, aside);
  if (!(await isOld(aside, keptBefore))) {
    await rename(aside, place);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function isOld(place: string, before: number): Promise<boolean> {
  const found = await stat(place).catch(() => null);
  return found !== null && found.mtimeMs < before;
}

async function isThere(place: string): Promise<boolean> {
  return (await stat(place).catch(() => null)) !== null;
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
