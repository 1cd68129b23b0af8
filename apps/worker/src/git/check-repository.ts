/**
 * The `.git` of setup and checks: a repository of its own for each command, at the base commit, that borrows the objects. Tools that
 * ask git for a version, for changed files or for the commit get an answer. What they write there is gone when the command ends: the
 * real repository lies elsewhere, and what is delivered is never read from here.
 */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../folders.ts";

export interface CheckRepository {
  /** The repository of the run, whose index is that of the base. */
  readonly gitFolder: string;
  /** The folder of objects that it borrows: shown read-only in a sandbox. */
  readonly objects: string;
  readonly branch: string;
  readonly sha: string;
}

/** Where the repository of a run finds the objects of its base. */
export async function borrowedObjects(gitFolder: string): Promise<string> {
  return (await readFile(join(gitFolder, "objects", "info", "alternates"), "utf8")).trim();
}

/** `tree`: on the disk. An older `.git` there, of whatever kind, is replaced. */
export async function openCheckRepository(source: CheckRepository, tree: string): Promise<AsyncDisposable> {
  const folder = join(tree, ".git");
  const remove = () => removeFolder(folder);
  await remove();
  try {
    await mkdir(join(folder, "objects", "info"), { recursive: true });
    await mkdir(join(folder, "refs", "heads"), { recursive: true });
    await writeFile(join(folder, "objects", "info", "alternates"), `${source.objects}\n`);
    await writeFile(join(folder, "HEAD"), `ref: refs/heads/${source.branch}\n`);
    // Not as a file of its own: the name of a branch is no path that we write to.
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

/** No remote, and so no credential; no hooks, and nothing in the background. */
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
