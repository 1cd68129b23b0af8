/**
 * Clones a run's tree from an incrementally fetched mirror. Each run has its own repository folder that borrows the mirror's objects, so an
 * agent can only break its own. The tree has no `.git`.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError, type Git } from "@triptych/git";
import { RunError } from "../run/run-error.ts";
import type { CloneRequest } from "../run/run-request.ts";
import type { Clock } from "../run/clock.ts";
import type { Environment } from "../process/environment.ts";
import { fetchSettings, workerGit } from "./git.ts";
import { reach } from "./reachable-commit.ts";

export interface Mirrors {
  /** Creates `place.tree` at `order.sha`. Throws `RunError` `clone_failed`. */
  checkOut(request: CloneRequest, target: CheckoutTarget): Promise<Git>;
  /** Fetches another branch, for a tree that borrows the mirror; returns its commit. Throws `RunError` `clone_failed`. */
  fetchBranch(request: CloneRequest, branch: string, target: FetchTarget): Promise<string>;
}

type ProxyOf = (url: string) => string | null;

export type FetchTarget = Pick<CheckoutTarget, "environment" | "signal" | "timeoutMs" | "bytes">;

export interface CheckoutTarget {
  readonly gitFolder: string;
  readonly tree: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Limit for the packed objects and, separately, for the files of the tree; null for none. */
  readonly bytes: number | null;
}

/** @param proxyOf address of the proxy for a URL; null: direct. */
export function createMirrors(folder: string, clock: Clock, proxyOf: ProxyOf = () => null): Mirrors {
  // Concurrent fetches into one mirror would conflict on the same ref.
  const busy = new Map<string, Promise<unknown>>();

  const mirrorOf = ({ repository }: CloneRequest) =>
    join(folder, `${createHash("sha256").update(repository).digest("hex")}.git`);
  return {
    async fetchBranch(cloned, branch, target) {
      const [mirror, request] = [mirrorOf(cloned), { ...cloned, branch }];
      const git = workerGit({ gitFolder: mirror, environment: target.environment, signal: target.signal });
      try {
        refuseOptions(request);
        await alone(mirror, () => fetchInto(git, request, { ...target, clock, proxyOf }));
        return (await git.run(["rev-parse", `refs/heads/${branch}`])).toString("latin1").trim();
      } catch (error) {
        target.signal.throwIfAborted();
        if (error instanceof GitError) throw new RunError("clone_failed", error.message, { cause: error });
        throw error;
      }
    },
    async checkOut(request, target) {
      const mirror = mirrorOf(request);
      try {
        refuseOptions(request);
        await alone(mirror, () => update(mirror, request, { ...target, clock, proxyOf }));
        return await borrow(mirror, request, target);
      } catch (error) {
        target.signal.throwIfAborted();
        if (error instanceof GitError) throw new RunError("clone_failed", error.message, { cause: error });
        throw error;
      }
    },
  };

  async function alone(mirror: string, act: () => Promise<void>): Promise<void> {
    const before = busy.get(mirror) ?? Promise.resolve();
    const fetching = before.then(act, act);
    busy.set(mirror, fetching);
    try {
      await fetching;
    } finally {
      if (busy.get(mirror) === fetching) busy.delete(mirror);
    }
  }
}

/** Refuses everything that git could parse as an option or a second ref. */
function refuseOptions({ url, branch, sha }: CloneRequest): void {
  const isBranch = /^[^-\s:^~?*[\\][^\s:^~?*[\\]*$/.test(branch);
  const isAddress = /^(?:https?|file):\/\/[^\s]+$/.test(url);
  if (!isBranch || !isAddress || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha))
    throw new RunError("clone_failed", "the order has an invalid clone URL, branch or commit");
}

async function update(mirror: string, request: CloneRequest, target: CheckoutTarget & CloneTransport): Promise<void> {
  const { environment, signal } = target;
  const git = workerGit({ gitFolder: mirror, environment, signal });
  await mkdir(mirror, { recursive: true });
  await git.run(["init", "--quiet", "--bare"]);
  if (await has(git, request.sha, signal)) return;
  await dropLocks(mirror);
  try {
    await fetchInto(git, request, target);
  } catch (error) {
    await dropHalfPacks(mirror);
    throw error;
  }
  if (!(await has(git, request.sha, signal)))
    throw new RunError(
      "clone_failed",
      `commit ${request.sha} was not found on branch ${JSON.stringify(request.branch)}`,
    );
}

interface CloneTransport {
  readonly clock: Clock;
  readonly proxyOf: ProxyOf;
}

async function fetchInto(git: Git, request: CloneRequest, target: FetchTarget & CloneTransport): Promise<void> {
  const refspec = `+refs/heads/${request.branch}:refs/heads/${request.branch}`;
  await reach(target.clock, target.signal, () =>
    // Tags that point into the fetched history come along; the panel limits their number.
    git.run(["fetch", "--quiet", "--", request.url, refspec], {
      timeoutMs: target.timeoutMs,
      fileBytes: target.bytes ?? undefined,
      settings: fetchSettings({ ...request, proxy: target.proxyOf(request.url) }),
    }),
  );
}

/** Fetches are serialized, so these locks belong to a killed git: they would block every fetch. */
async function dropLocks(mirror: string): Promise<void> {
  const inRefs = (await namesIn(join(mirror, "refs"))).map((name) => join("refs", name));
  for (const name of [...(await readdir(mirror)), ...inRefs])
    if (name.endsWith(".lock")) await rm(join(mirror, name), { force: true });
}

/** Removes partial packs only, because other runs borrow the objects of the mirror. */
async function dropHalfPacks(mirror: string): Promise<void> {
  const packs = join(mirror, "objects", "pack");
  for (const name of await namesIn(packs))
    if (name.startsWith("tmp_")) await rm(join(packs, name), { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function has(git: Git, sha: string, signal: AbortSignal): Promise<boolean> {
  try {
    await git.run(["cat-file", "-e", `${sha}^{commit}`]);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitError) return false;
    throw error;
  }
}

async function borrow(mirror: string, { sha }: CloneRequest, target: CheckoutTarget): Promise<Git> {
  const git = workerGit(target);
  await mkdir(target.tree, { recursive: true });
  await workerGit({ ...target, tree: undefined }).run(["init", "--quiet", "--bare"]);
  await writeFile(join(target.gitFolder, "objects", "info", "alternates"), `${join(mirror, "objects")}\n`);
  await writeFile(
    join(target.gitFolder, "packed-refs"),
    await tagsOf(workerGit({ ...target, tree: undefined, gitFolder: mirror }), sha),
  );
  await refuseTooLarge(git, sha, target.bytes);
  await git.run(["checkout", "--quiet", "--force", "--detach", sha]);
  return git;
}

/** The newest tags in a commit's history, as lines of `packed-refs`: for `git describe` in setup and checks. */
async function tagsOf(mirror: Git, sha: string): Promise<Buffer> {
  return mirror.run([
    "for-each-ref",
    `--merged=${sha}`,
    "--sort=-creatordate",
    `--count=${TAGS_MAX}`,
    "--format=%(objectname) %(refname)",
    "refs/tags",
  ]);
}

const TAGS_MAX = 1_000;

/** A small pack may expand to a large tree: its size is checked before any file is written. */
async function refuseTooLarge(git: Git, sha: string, limit: number | null): Promise<void> {
  if (limit === null) return;
  const listed = (await git.run(["ls-tree", "-r", "-l", "-z", sha])).toString("latin1");
  let bytes = 0;
  for (const entry of listed.split("\0")) bytes += Number(/^\d+ blob \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0);
  if (bytes > limit)
    throw new RunError("clone_failed", `the files have ${bytes} bytes; the disk limit of this run is ${limit}`);
}
