/** What a setup command created in a tree, by git's view: paths that the commit does not track, ignored or not. */
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "@triptych/git";

export interface CreatedPaths {
  /** Each ends with NUL. */
  readonly paths: Buffer;
  /** Number of tracked files that the setup changed or removed. */
  readonly changed: number;
}

/** `git` works in the tree; `gitFolder` has the index of the checkout. */
export async function findCreatedPaths(git: Git, gitFolder: string): Promise<CreatedPaths> {
  const index = join(gitFolder, "created.index");
  const environment = { GIT_INDEX_FILE: index };
  // A copy: the tree may be another checkout than that of the index.
  await copyFile(join(gitFolder, "index"), index);
  try {
    await git.run(["update-index", "-q", "--refresh"], { environment });
    const changed = (await git.run(["diff-files", "-z", "--name-only"], { environment })).toString("latin1");
    const listed = (await git.run(["ls-files", "-z", "--others", "--directory"], { environment })).toString("latin1");
    const paths = listed
      .split("\0")
      .filter(Boolean)
      .map((path) => `${path.replace(/\/$/, "")}\0`);
    return { paths: Buffer.from(paths.join(""), "latin1"), changed: changed.split("\0").length - 1 };
  } finally {
    await rm(index, { force: true });
  }
}
