/** Whether an entry can be copied into a checkout without replacing or following anything of the commit. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../process/folders.ts";

/** @param paths each ends with NUL. */
export function listPaths(paths: Buffer): readonly string[] {
  return paths.toString("utf8").split("\0").filter(Boolean);
}

/** `paths` of the entry: none may exist, and their parents must be folders, not links. */
export async function hasSpaceFor(paths: readonly string[], tree: string): Promise<boolean> {
  const parents = new Set<string>();
  for (const path of paths) {
    if ((await kindOf(join(tree, path))) !== "none") return false;
    const names = path.split("/");
    for (let count = 1; count < names.length; count++) parents.add(names.slice(0, count).join("/"));
  }
  for (const parent of parents) if ((await kindOf(join(tree, parent))) === "other") return false;
  return true;
}

async function kindOf(path: string): Promise<"none" | "folder" | "other"> {
  const found = await lstat(path).catch(() => null);
  return found === null ? "none" : found.isDirectory() ? "folder" : "other";
}

export async function removePaths(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await removeFolder(join(folder, path));
}
