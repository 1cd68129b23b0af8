/** Reads a few text files of a commit, without a work tree. */
import type { Git } from "./git.ts";

export interface TextFile {
  /** With the spelling in the commit. */
  readonly path: string;
  readonly text: string;
}

interface Request {
  readonly sha: string;
  /** Files in the root or in a folder of the root; compared without case. */
  readonly paths: readonly string[];
  /** Limit per file; the rest is omitted. */
  readonly bytesMax: number;
}

/** Larger files are not written by people. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
const REGULAR = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t([\s\S]+)$/;

/** Returns files in the order of `paths`. Missing files, symbolic links, submodules and binary files are skipped. */
export async function readTextFiles(git: Git, { sha, paths, bytesMax }: Request): Promise<readonly TextFile[]> {
  const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  const entries = new Map<string, { readonly id: string; readonly path: string }>();
  for (const folder of folders) {
    const listed = await git.run(["ls-tree", "-z", "-l", sha, ...(folder === "" ? [] : [folder])]);
    for (const line of listed.toString("utf8").split("\0")) {
      const [, id = "", size = "", path = ""] = REGULAR.exec(line) ?? [];
      const isFirst = !entries.has(path.toLowerCase()) || paths.includes(path);
      if (id !== "" && isFirst && Number(size) <= FILE_BYTES_MAX) entries.set(path.toLowerCase(), { id, path });
    }
  }
  const files: TextFile[] = [];
  for (const requested of paths) {
    const entry = entries.get(requested.toLowerCase());
    if (entry === undefined) continue;
    const bytes = (await git.run(["cat-file", "blob", entry.id])).subarray(0, bytesMax);
    if (!bytes.includes(0)) files.push({ path: entry.path, text: bytes.toString("utf8") });
  }
  return files;
}
