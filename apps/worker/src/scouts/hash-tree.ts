/** One figure for everything that is in a folder: names, kinds, rights, texts and links. Nothing in it is followed or left out. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const AT_ONCE = 16;

export async function hashTree(folder: string): Promise<string> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const lines: string[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE)
    lines.push(...(await Promise.all(entries.slice(at, at + AT_ONCE).map((path) => lineOf(folder, path)))));
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

async function lineOf(folder: string, path: string): Promise<string> {
  const stats = await lstat(path);
  const is = stats.isFile() ? await textOf(path) : stats.isSymbolicLink() ? await readlink(path) : "";
  return JSON.stringify([path.slice(folder.length), stats.mode, is]);
}

async function textOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
