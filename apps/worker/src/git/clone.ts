/**
 * From an address to a fresh tree. One mirror per repository is kept and only told what is new; each run has a repository folder of its
 * own that borrows the mirror's objects, so an agent that breaks its repository breaks nobody else's. The tree has no `.git`.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RunFault } from "../run-error.ts";
import type { CloneRequest } from "../run-request.ts";
import type { Clock } from "../connection/clock.ts";
import type { Environment } from "../process/environment.ts";
import { createGit, GitError, withBearer, type Git } from "./git.ts";
import { reach } from "./reachable-commit.ts";

export interface Mirrors {
  /** Makes `place.tree` as it is at `order.sha`. Throws `RunFault` `clone_failed`. */
  checkOut(request: CloneRequest, target: CheckoutTarget): Promise<Git>;
}

export interface CheckoutTarget {
  readonly gitFolder: string;
  readonly tree: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** For the packed objects and, apart, for the files of the tree. Null: no limit. */
  readonly bytes: number | null;
}

export function createMirrors(folder: string, pace: Clock): Mirrors {
  // Two fetches into one mirror would fight for the same reference: the later one waits, and mostly finds nothing new to fetch.
  const busy = new Map<string, Promise<unknown>>();

  return {
    async checkOut(request, target) {
      const mirror = join(folder, `${createHash("sha256").update(request.repository).digest("hex")}.git`);
      try {
        refuseOptions(request);
        await alone(mirror, () => update(mirror, request, { ...target, pace }));
        return await borrow(mirror, request, target);
      } catch (error) {
        target.signal.throwIfAborted();
        if (error instanceof GitError) throw new RunFault("clone_failed", error.message, { cause: error });
        throw error;
      }
    },
  };

  async function alone(mirror: string, act: () => Promise<void>): Promise<void> {
    const before = busy.get(mirror) ?? Promise.resolve();
    const mine = before.then(act, act);
    busy.set(mirror, mine);
    try {
      await mine;
    } finally {
      if (busy.get(mirror) === mine) busy.delete(mirror);
    }
  }
}

/** Nothing that git could take for an option or for a second reference. */
function refuseOptions({ url, branch, sha }: CloneRequest): void {
  const isBranch = /^[^-\s:^~?*[\\][^\s:^~?*[\\]*$/.test(branch);
  const isAddress = /^(?:https?|file):\/\/[^\s]+$/.test(url);
  if (!isBranch || !isAddress || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha))
    throw new RunFault("clone_failed", "the order names no address, branch and commit that can be cloned");
}

async function update(
  mirror: string,
  request: CloneRequest,
  target: CheckoutTarget & { readonly pace: Clock },
): Promise<void> {
  const { environment, signal, pace } = target;
  const git = createGit({ gitFolder: mirror, environment, signal });
  await mkdir(mirror, { recursive: true });
  await git.run(["init", "--quiet", "--bare"]);
  if (await has(git, request.sha, signal)) return;
  await dropLocks(mirror);
  const refspec = `+refs/heads/${request.branch}:refs/heads/${request.branch}`;
  try {
    await reach(pace, signal, () =>
      // Tags that point into the fetched history come along; the panel shows a bounded number.
      git.run(["fetch", "--quiet", "--", request.url, refspec], {
        timeoutMs: target.timeoutMs,
        ...(target.bytes !== null && { fileBytes: target.bytes }),
        ...(request.bearer !== null && { environment: withBearer(request.url, request.bearer) }),
      }),
    );
  } catch (error) {
    await dropHalfPacks(mirror);
    throw error;
  }
  if (!(await has(git, request.sha, signal)))
    throw new RunFault(
      "clone_failed",
      `commit ${request.sha} was not found on branch ${JSON.stringify(request.branch)}`,
    );
}

/** Fetches take turns, so these are of a git that was killed, with its run or with the worker before us: no fetch would get past them. */
async function dropLocks(mirror: string): Promise<void> {
  const inRefs = (await namesIn(join(mirror, "refs"))).map((name) => join("refs", name));
  for (const name of [...(await readdir(mirror)), ...inRefs])
    if (name.endsWith(".lock")) await rm(join(mirror, name), { force: true });
}

/** The mirror itself stays: other runs borrow its objects. */
async function dropHalfPacks(mirror: string): Promise<void> {
  const packs = join(mirror, "objects", "pack");
  for (const name of await namesIn(packs))
    if (name.startsWith("tmp_")) await rm(join(packs, name), { recursive: true, force: true });
}

/** At all depths. A git beside us, or one that was killed while it made the folder, may leave less than there was a moment ago. */
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
  const git = createGit(target);
  await mkdir(target.tree, { recursive: true });
  await createGit({ ...target, tree: undefined }).run(["init", "--quiet", "--bare"]);
  await writeFile(join(target.gitFolder, "objects", "info", "alternates"), `${join(mirror, "objects")}\n`);
  await writeFile(
    join(target.gitFolder, "packed-refs"),
    await tagsOf(createGit({ ...target, tree: undefined, gitFolder: mirror }), sha),
  );
  await refuseTooLarge(git, sha, target.bytes);
  await git.run(["checkout", "--quiet", "--force", "--detach", sha]);
  return git;
}

/** The newest tags in the history of a commit, as lines of `packed-refs`: `git describe` of setup and checks finds them. */
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

/** A small pack may hold a large tree: its size is known before any file is written. */
async function refuseTooLarge(git: Git, sha: string, limit: number | null): Promise<void> {
  if (limit === null) return;
  const listed = (await git.run(["ls-tree", "-r", "-l", "-z", sha])).toString("latin1");
  let bytes = 0;
  for (const entry of listed.split("\0")) bytes += Number(/^\d+ blob \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0);
  if (bytes > limit)
    throw new RunFault("clone_failed", `the files take ${bytes} bytes, this run may use ${limit} of disk`);
}
