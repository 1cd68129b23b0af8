/**
 * Where a bundle is opened: a repository of its own that borrows the mirror's objects and is thrown away. Nothing that a worker sent
 * ever gets into a mirror.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeBareRepository } from "./bare-repository.ts";
import { branchOf } from "./bundle-header.ts";
import { createGit, type Git } from "./git.ts";
import type { Mirror } from "./mirrors.ts";

export interface Quarantine extends AsyncDisposable {
  readonly folder: string;
  readonly git: Git;
}

interface Opening {
  /** Quarantines are made in here. */
  readonly folder: string;
  readonly mirror: Mirror;
  readonly bundlePath: string;
  readonly runId: string;
}

/** With the run's branch in it. Throws `GitError` where the bundle does not open: broken, or without the commits that it stands on. */
export async function openQuarantine({ folder, mirror, bundlePath, runId }: Opening): Promise<Quarantine> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(folder, "q-"));
  const git = createGit(path);
  const quarantine = { folder: path, git, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  try {
    await makeBareRepository(path);
    await writeFile(join(path, "objects", "info", "alternates"), `${join(mirror.folder, "objects")}\n`);
    const ref = `refs/heads/${branchOf(runId)}`;
    await git.run(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", bundlePath, `${ref}:${ref}`], {
      // Objects that would trick a git or a disk (a tree entry named .git, say) are refused where they come in.
      settings: { "protocol.file.allow": "always", "fetch.fsckObjects": "true", "fetch.unpackLimit": "1" },
    });
    return quarantine;
  } catch (error) {
    await quarantine[Symbol.asyncDispose]();
    throw error;
  }
}
