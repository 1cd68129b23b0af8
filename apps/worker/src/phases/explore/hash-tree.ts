/** One hash of a folder: names, kinds, modes, contents and link targets. Links are not followed and nothing is skipped. */
import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";

/** Entries hashed between two turns of the event loop. */
const BATCH = 64;
/** A longer file is read as a stream. */
const WHOLE_READ_BYTES_MAX = 1024 * 1024;
const SLASH = Buffer.from("/");

/** Paths are bytes: a Linux file name need not be UTF-8, and decoding would lose it. */
export async function hashTree(folder: string): Promise<string> {
  const root = Buffer.from(folder);
  const all = createHash("sha256");
  for (const [index, path] of (await listEntries(root)).entries()) {
    if (index % BATCH === 0) await setImmediate();
    const name = path.subarray(root.length).toString("latin1");
    all.update(`${JSON.stringify([name, ...(await describeEntry(path))])}\n`);
  }
  return all.digest("hex");
}

async function listEntries(root: Buffer): Promise<readonly Buffer[]> {
  const found: Buffer[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([folder, SLASH, entry.name]);
      found.push(path);
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return found.toSorted((one, other) => one.compare(other));
}

/** Synchronous for small files: with ten thousand of them, promises would take most of the time. */
async function describeEntry(path: Buffer): Promise<readonly [mode: number, content: string]> {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return [stats.mode, readlinkSync(path, "latin1")];
  if (!stats.isFile()) return [stats.mode, ""];
  const hash = createHash("sha256");
  if (stats.size > WHOLE_READ_BYTES_MAX) await pipeline(createReadStream(path), hash);
  else hash.update(readFileSync(path));
  return [stats.mode, hash.digest("hex")];
}
