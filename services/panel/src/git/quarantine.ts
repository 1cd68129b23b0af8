/** A temporary repository for a bundle that borrows the mirror's objects. Worker data never enters a mirror. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "@triptych/git";
import { makeBareRepository } from "./bare-repository.ts";
import { branchOf } from "../domain/run-branch.ts";
import { panelGit } from "./git.ts";
import type { Mirror } from "./mirrors.ts";

export interface Quarantine extends AsyncDisposable {
  readonly folder: string;
  readonly git: Git;
}

interface OpenOptions {
  readonly folder: string;
  readonly mirror: Mirror;
  readonly bundlePath: string;
  readonly runId: string;
}

/** Contains the run's branch. Throws `GitError` for a broken bundle or missing prerequisites. */
export async function openQuarantine({ folder, mirror, bundlePath, runId }: OpenOptions): Promise<Quarantine> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(folder, "q-"));
  const git = panelGit(path);
  const quarantine = { folder: path, git, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  try {
    await makeBareRepository(path);
    await writeFile(join(path, "objects", "info", "alternates"), `${join(mirror.folder, "objects")}\n`);
    const ref = `refs/heads/${branchOf(runId)}`;
    await git.run(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", bundlePath, `${ref}:${ref}`], {
      // Refuses objects that attack git or the file system, such as a tree entry named .git.
      settings: { "protocol.file.allow": "always", "fetch.fsckObjects": "true", "fetch.unpackLimit": "1" },
    });
    return quarantine;
  } catch (error) {
    await quarantine[Symbol.asyncDispose]();
    throw error;
  }
}
