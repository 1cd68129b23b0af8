/**
 * Mirrors: one bare repository per repo, with the base branches of runs and their tags. A mirror is a cache of this node and may be deleted
 * while unused. Concurrent fetches are shared.
 */
import { readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError, type Git } from "@triptych/git";
import { isRepository, makeBareRepository } from "./bare-repository.ts";
import { panelGit } from "./git.ts";
import { fetchTags } from "./tags.ts";
import { bytesOf, fetchWithin, NO_LIMITS, RepositoryTooLarge, type MirrorLimits } from "./mirror-limits.ts";
import { type RemoteRepo, type Remotes } from "./remote.ts";
import { Unreachable } from "./addresses.ts";

export interface Mirrors {
  /**
   * Calls `work` with the mirror and its branch (null: HEAD's), no older than requested. The mirror is not deleted in the meantime. Throws
   * `Unreachable`.
   */
  use<T>(request: MirrorRequest, work: (mirror: Mirror) => Promise<T>): Promise<T>;
  forget(repo: { readonly owner: string; readonly id: string }): Promise<void>;
  /** Removes mirrors unused since then, and the least recently used ones above the size limit. */
  prune(bounds: MirrorBounds): Promise<void>;
}

export interface MirrorBounds {
  readonly usedBefore: number;
  readonly bytes: number;
}

export interface MirrorRequest {
  readonly repo: RemoteRepo;
  readonly branch: string | null;
  /** Maximum age of the last fetch in milliseconds; `Infinity`: any, also of an earlier process. */
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

/** Backoff for an oversized repository: each fetch would transfer up to the limit. */
const TOO_LARGE_MS = 6 * 3_600_000;

interface TooLarge {
  readonly until: number;
  readonly error: RepositoryTooLarge;
}

interface FetchedMirror {
  readonly at: number;
  readonly branch: string;
}

export function createMirrors({ folder, remotes, now, limits = NO_LIMITS }: Options): Mirrors {
  const users = new Map<string, number>();
  // Keyed by mirror and branch, so that concurrent callers share one fetch.
  const fetching = new Map<string, Promise<FetchedMirror>>();
  const fresh = new Map<string, FetchedMirror>();
  const tooLarge = new Map<string, TooLarge>();
  // Two fetches into one mirror would conflict.
  const queues = new Map<string, Promise<unknown>>();

  return {
    async use(request, work) {
      const path = pathOf(request.repo);
      users.set(path, (users.get(path) ?? 0) + 1);
      try {
        const { branch } = await freshen(path, request);
        const git = panelGit(path);
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

  /** Moved first, so that no reader sees a partial mirror. False while in use. */
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

  async function freshen(path: string, request: MirrorRequest): Promise<FetchedMirror> {
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

  async function fetchInto(path: string, { repo, branch: wished }: MirrorRequest): Promise<FetchedMirror> {
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
        await fetchTags(panelGit(path), remote, signal);
      }).catch((error: unknown) => afterFailure(path, error));
      // No branch was requested: use the branch of HEAD.
      if (wished === null) await panelGit(path).run(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
      return { at, branch };
    });
  }

  /** Removes an oversized mirror unless it is in use. */
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
  return panelGit(path)
    .run(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}^{commit}`])
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof GitError) return false;
        throw error;
      },
    );
}

/** Fetches are serialized, so these locks belong to a killed process and would block every fetch. */
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
  await writeFile(join(path, "description"), "A mirror of the panel. You can delete it while the panel is stopped.\n");
}
