/**
 * Puts what a gate relies on back as it was at the base: an agent that turns a red test green by changing the test has repaired
 * nothing. What the base did not have is taken away where such a path is asked for.
 */
import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createMatcher } from "@triptych/change-policy";
import type { Git } from "./git.ts";
import { readable } from "./snapshots.ts";

export interface FrozenPaths {
  /** The path as snapshots give it. */
  covers(path: string): boolean;
  restore(): Promise<void>;
}

interface FrozenOptions {
  readonly git: Git;
  readonly tree: string;
  readonly baseSha: string;
  readonly globs: readonly string[];
}

export function createFrozenPaths({ git, tree, baseSha, globs }: FrozenOptions): FrozenPaths {
  const matches = globs.length === 0 ? () => false : createMatcher(globs);
  const covers = (path: string) => matches(readable(path));
  return {
    covers,
    async restore() {
      if (globs.length === 0) return;
      const atBase = namesOf(await git.run(["ls-tree", "-r", "-z", "--name-only", baseSha])).filter(covers);
      const added = namesOf(await git.run(["ls-files", "-z", "--others"])).filter(covers);
      for (const path of added) await removeInside(tree, readable(path));
      if (atBase.length === 0) return;
      const input = Buffer.from(atBase.map((path) => `${path}\0`).join(""), "latin1");
      // git replaces a link that stands in the place of a folder instead of writing through it.
      await git.run(["checkout", "--quiet", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", baseSha], {
        input,
      });
    },
  };
}

/** Never through a link: a folder of the path that is one would lead the removal out of the tree. */
async function removeInside(tree: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
    if ((await lstat(join(tree, folder))).isSymbolicLink()) return;
  await rm(join(tree, path), { recursive: true, force: true });
}

function namesOf(listed: Buffer): string[] {
  return listed.toString("latin1").split("\0").filter(Boolean);
}
