/**
 * The `.git` of setup and checks: a fresh repository per command at the base commit, for tools that query git. It borrows the objects, and
 * writes are discarded.
 */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../process/folders.ts";

export interface CheckRepository {
  /** The repository of the run, whose index is that of the base. */
  readonly gitFolder: string;
  /** The borrowed objects folder: read-only in a sandbox. */
  readonly objects: string;
  readonly branch: string;
  readonly sha: string;
}

/** The objects of the run's base. */
export async function borrowedObjects(gitFolder: string): Promise<string> {
  return (await readFile(join(gitFolder, "objects", "info", "alternates"), "utf8")).trim();
}

/** Replaces any existing `.git`. `tree`: its path on the disk. */
export async function openCheckRepository(source: CheckRepository, tree: string): Promise<AsyncDisposable> {
  const folder = join(tree, ".git");
  const remove = () => removeFolder(folder);
  await remove();
  try {
    await mkdir(join(folder, "objects", "info"), { recursive: true });
    await mkdir(join(folder, "refs", "heads"), { recursive: true });
    await writeFile(join(folder, "objects", "info", "alternates"), `${source.objects}\n`);
    await writeFile(join(folder, "HEAD"), `ref: refs/heads/${source.branch}\n`);
    // Written to packed-refs instead of a loose file, so that a branch name cannot become a path.
    const tags = await readFile(join(source.gitFolder, "packed-refs"), "utf8");
    await writeFile(join(folder, "packed-refs"), `${source.sha} refs/heads/${source.branch}\n${tags}`);
    await writeFile(join(folder, "config"), CONFIG);
    await copyFile(join(source.gitFolder, "index"), join(folder, "index"));
  } catch (error) {
    await remove();
    throw error;
  }
  return { [Symbol.asyncDispose]: remove };
}

/** No remote, so no credential; no hooks and no background tasks. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = false
\thooksPath = /dev/null
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
`;
