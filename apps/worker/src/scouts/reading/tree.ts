/**
 * The files of a repository by path from its root, sorted. Links are listed and never followed. Imports nothing outside this worker, so
 * that a gate can run wherever the worker's source is readable.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface TreeFile {
  readonly path: string;
  readonly bytes: number;
  readonly isLink: boolean;
}

export interface Tree {
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly folders: ReadonlySet<string>;
  /** Null if the file is missing, binary, or too long for a person to read. */
  read(path: string): Promise<string | null>;
  /** Its first bytes. Null if the file is missing. */
  peek(path: string, bytes: number): Promise<Buffer | null>;
}

/** Output of setup and builds. Git would not list it, but a gate has no git. */
const NOT_OURS: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);
const TEXT_BYTES_MAX = 1024 * 1024;

export async function readFolder(root: string): Promise<Tree> {
  const files: TreeFile[] = [];
  await walk("");
  return treeOf(root, files);

  async function walk(folder: string): Promise<void> {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      // A name that is not UTF-8 is decoded with loss: no file has the resulting path.
      if (entry.name.includes("\uFFFD") && !existsSync(join(root, path))) continue;
      if (entry.isDirectory()) {
        if (!NOT_OURS.has(entry.name)) await walk(path);
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        const { size: bytes } = await lstat(join(root, path));
        files.push({ path, bytes, isLink: entry.isSymbolicLink() });
      }
    }
  }
}

/** `listed`: the caller's list of the folder's files. */
export function treeOf(root: string, listed: readonly TreeFile[]): Tree {
  const files = new Map(listed.toSorted(byPath).map((file) => [file.path, file]));
  const peek = async (path: string, bytes: number) => {
    const file = files.get(path);
    return file === undefined || file.isLink ? null : firstBytes(join(root, path), bytes);
  };
  return {
    files,
    folders: foldersOf(files.keys()),
    peek,
    async read(path) {
      if ((files.get(path)?.bytes ?? Infinity) > TEXT_BYTES_MAX) return null;
      const bytes = await peek(path, TEXT_BYTES_MAX);
      return bytes === null || isBinary(bytes) ? null : bytes.toString("utf8");
    },
  };
}

/** By git's rule: a zero byte near the beginning. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

/** Compares by code units, which is the same on every machine. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set([""]);
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      folders.add(path.slice(0, end));
  return folders;
}

/**
 * Reads the file itself, never a link that has replaced it; null if it is gone. Synchronous, because for ten thousand small files promises
 * would take most of the time.
 */
function firstBytes(file: string, most: number): Buffer | null {
  const handle = opened(file);
  if (handle === null) return null;
  try {
    const buffer = Buffer.allocUnsafe(Math.min(fstatSync(handle).size, most));
    return buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(handle);
  }
}

function opened(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}
