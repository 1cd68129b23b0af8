/**
 * Mirrors: one bare repository for each repo, with the branches that runs begin at and their tags. A mirror is a cache of this node:
 * it may be thrown away at any moment when nobody uses it, and is fetched again. Whoever wants news at the same time shares one fetch.
 */
import { readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRepository, makeBareRepository } from "./bare-repository.ts";
import { createGit, GitError, type Git } from "./git.ts";
import { fetchTags } from "./tags.ts";
import { bytesOf, fetchWithin, NO_LIMITS, RepositoryTooLarge, type MirrorLimits } from "./mirror-limits.ts";
import { Unreachable, type RemoteRepo, type Remotes } from "./remote.ts";

export interface Mirrors {
  /**
   * Does `work` with the mirror, its branch as fresh as asked for; the branch is the one that HEAD names when null. While it lasts,
   * the mirror stays. Throws `Unreachable`.
   */
  use<T>(request: MirrorRequest, work: (mirror: Mirror) => Promise<T>): Promise<T>;
  forget(repo: { readonly owner: string; readonly id: string }): Promise<void>;
  /** Removes mirrors that nobody used since then, and of the others those that were used longest ago, until they have no more bytes. */
  prune(bounds: MirrorBounds): Promise<void>;
}

export interface MirrorBounds {
  readonly usedBefore: number;
  readonly bytes: number;
}

export interface MirrorRequest {
  readonly repo: RemoteRepo;
  readonly branch: string | null;
  /** Milliseconds since the last fetch of this branch that are still fresh; `Infinity`: whatever is there, of an earlier process too. */
  readonly maxAgeMs: number;
}

export interface Mirror {
  readonly folder: string;
  readonly git: Git;
  readonly branch: string;
  readonly sha: string;
}

interface Options {
  readonly folder: string;
  readonly remotes: Remotes;
  readonly now: () => number;
  readonly limits?: MirrorLimits;
}

/** A repository that is too large is not fetched again so soon: each look would cost as much as the limit allows. */
const TOO_LARGE_MS = 6 * 3_600_000;

interface TooLarge {
  readonly until: number;
  readonly error: RepositoryTooLarge;
}

interface Fresh {
  readonly at: number;
  readonly branch: string;
}

export function createMirrors({ folder, remotes, now, limits = NO_LIMITS }: Options): Mirrors {
  const users = new Map<string, number>();
  // By mirror and branch: who comes while a fetch is under way waits for that one.
  const fetching = new Map<string, Promise<Fresh>>();
  const fresh = new Map<string, Fresh>();
  const tooLarge = new Map<string, TooLarge>();
  // Two fetches into one mirror would fight for its files.
  const queues = new Map<string, Promise<unknown>>();

  return {
    async use(request, work) {
      const path = pathOf(request.repo);
      users.set(path, (users.get(path) ?? 0) + 1);
      try {
        const { branch } = await freshen(path, request);
        const git = createGit(path);
        const printed = await git.run(["rev-parse", "--verify", "--end-of-options", `refs/heads/${branch}^{commit}`]);
        const time = new Date(now());
        await utimes(join(path, "HEAD"), time, time);
        return await work({ folder: path, git, branch, sha: printed.toString("latin1").trim() });
      } finally {
        const left = (users.get(path) ?? 1) - 1;
        if (left === 0) users.delete(path);
        else users.set(path, left);
      }
    },
    async forget(repo) {
      tooLarge.delete(pathOf(repo));
      await remove(pathOf(repo));
    },
    async prune({ usedBefore, bytes }) {
      const mirrors: { readonly path: string; readonly usedAt: number; readonly bytes: number }[] = [];
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const used = await stat(join(path, "HEAD")).catch(() => null);
        if (used === null || used.mtimeMs < usedBefore) await remove(path);
        else mirrors.push({ path, usedAt: used.mtimeMs, bytes: await bytesOf(path) });
      }
      let total = mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0);
      for (const mirror of mirrors.toSorted((a, b) => a.usedAt - b.usedAt))
        if (total > bytes && (await remove(mirror.path))) total -= mirror.bytes;
    },
  };

  function pathOf({ owner, id }: Pick<RemoteRepo, "owner" | "id">): string {
    return join(folder, `${owner}-${id}.git`);
  }

  /** Moved aside first: nobody finds half a mirror. False where it is in use: it stays until the next time. */
  async function remove(path: string): Promise<boolean> {
    if (users.has(path)) return false;
    for (const key of fresh.keys()) if (key.startsWith(`${path} `)) fresh.delete(key);
    const aside = `${path}.gone-${now()}`;
    try {
      await rename(path, aside);
    } catch {
      return false;
    }
    await rm(aside, { recursive: true, force: true });
    return true;
  }

  async function freshen(path: string, request: MirrorRequest): Promise<Fresh> {
    const key = `${path} ${request.branch ?? ""}`;
    const cached = fresh.get(key);
    if (cached !== undefined && cached.at + request.maxAgeMs > now()) return cached;
    const { branch, maxAgeMs } = request;
    if (maxAgeMs === Infinity && branch !== null && (await hasBranch(path, branch))) return { at: 0, branch };
    const under = fetching.get(key);
    if (under !== undefined) return under;
    const mine = enqueue(path, () => fetchInto(path, request));
    fetching.set(key, mine);
    try {
      const fetched = await mine;
      fresh.set(key, fetched);
      return fetched;
    } finally {
      fetching.delete(key);
    }
  }

  async function fetchInto(path: string, { repo, branch: wished }: MirrorRequest): Promise<Fresh> {
    const at = now();
    const failure = tooLarge.get(path);
    if (failure !== undefined && failure.until > at) throw failure.error;
    tooLarge.delete(path);
    await ensureRepository(path);
    await dropLocks(path);
    return remotes.reach(repo, path, async (remote) => {
      const branch = wished ?? (await remote.list(["HEAD"])).defaultBranch;
      if (branch === null)
        throw new Unreachable("the repository has no default branch: it is empty, or its HEAD is detached");
      await fetchWithin(path, limits, async (signal) => {
        await remote.fetch([`+refs/heads/${branch}:refs/heads/${branch}`], signal);
        await fetchTags(createGit(path), remote, signal);
      }).catch((error: unknown) => afterFailure(path, error));
      // Who orders no branch takes the one that HEAD names.
      if (wished === null) await createGit(path).run(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
      return { at, branch };
    });
  }

  /** A mirror that is too large serves nobody, unless somebody reads it just now. */
  async function afterFailure(path: string, error: unknown): Promise<never> {
    if (error instanceof RepositoryTooLarge) {
      tooLarge.set(path, { until: now() + TOO_LARGE_MS, error });
      if ((users.get(path) ?? 0) <= 1) await rm(path, { recursive: true, force: true });
    }
    throw error;
  }

  async function enqueue<T>(path: string, act: () => Promise<T>): Promise<T> {
    const before = queues.get(path) ?? Promise.resolve();
    const mine = before.then(act, act);
    queues.set(path, mine);
    try {
      return await mine;
    } finally {
      if (queues.get(path) === mine) queues.delete(path);
    }
  }
}

async function hasBranch(path: string, branch: string): Promise<boolean> {
  return createGit(path)
    .run(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}^{commit}`])
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof GitError) return false;
        throw error;
      },
    );
}

/** Fetches take turns, so these are of a git that was killed together with the panel before us: no fetch would get past them. */
async function dropLocks(path: string): Promise<void> {
  const names = [...(await readdir(path)), ...(await readdir(join(path, "refs"), { recursive: true })).map(inRefs)];
  for (const name of names) if (name.endsWith(".lock")) await rm(join(path, name), { force: true });
}

function inRefs(name: string): string {
  return join("refs", name);
}

async function ensureRepository(path: string): Promise<void> {
  if (await isRepository(path)) return;
  await rm(path, { recursive: true, force: true });
  await makeBareRepository(path);
  await writeFile(join(path, "description"), "A mirror of the panel: may be removed while the panel does not run.\n");
}
