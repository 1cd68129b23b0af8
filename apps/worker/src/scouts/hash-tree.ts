/** One figure for everything that is in a folder: names, kinds, rights, texts and links. Nothing in it is followed or left out. */
import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";

/** Between two turns for whoever else waits. */
const AT_ONCE = 64;
/** A longer file is read piece by piece. */
const LONGEST_AT_ONCE = 1024 * 1024;

export async function hashTree(folder: string): Promise<string> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const all = createHash("sha256");
  for (const [place, path] of entries.entries()) {
    if (place % AT_ONCE === 0) await setImmediate();
    all.update(`${JSON.stringify([path.slice(folder.length), ...(await kindOf(path))])}\n`);
  }
  return all.digest("hex");
}

/** Without a promise for each step: of ten thousand small files these would take most of the time. */
async function kindOf(path: string): Promise<readonly [mode: number, is: string]> {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return [stats.mode, readlinkSync(path)];
  if (!stats.isFile()) return [stats.mode, ""];
  const hash = createHash("sha256");
  if (stats.size > LONGEST_AT_ONCE) await pipeline(createReadStream(path), hash);
  else hash.update(readFileSync(path));
  return [stats.mode, hash.digest("hex")];
}
