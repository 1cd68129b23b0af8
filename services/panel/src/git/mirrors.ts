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
  use<T>(wish: MirrorWish, work: (mirror: Mirror) => Promise<T>): Promise<T>;
  forget(repo: { readonly owner: string; readonly id: string }): Promise<void>;
  /** Removes mirrors that nobody used since then, and of the others those that were used longest ago, until they have no more bytes. */
  prune(bounds: MirrorBounds): Promise<void>;
}

export interface MirrorBounds {
  readonly usedBefore: number;
  readonly bytes: number;
}

export interface MirrorWish {
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
  const turns = new Map<string, Promise<unknown>>();

  return {
    async use(wish, work) {
      const place = placeOf(wish.repo);
      users.set(place, (users.get(place) ?? 0) + 1);
      try {
        const { branch } = await freshen(place, wish);
        const git = createGit(place);
        const printed = await git.run(["rev-parse", "--verify", "--end-of-options", `refs/heads/${branch}^{commit}`]);
        const time = new Date(now());
        await utimes(join(place, "HEAD"), time, time);
        return await work({ folder: place, git, branch, sha: printed.toString("latin1").trim() });
      } finally {
        const left = (users.get(place) ?? 1) - 1;
        if (left === 0) users.delete(place);
        else users.set(place, left);
      }
    },
    async forget(repo) {
      tooLarge.delete(placeOf(repo));
      await remove(placeOf(repo));
    },
    async prune({ usedBefore, bytes }) {
      const kept: { readonly place: string; readonly usedAt: number; readonly bytes: number }[] = [];
      for (const name of await readdir(folder).catch(() => [])) {
        const place = join(folder, name);
        const used = await stat(join(place, "HEAD")).catch(() => null);
        if (used === null || used.mtimeMs < usedBefore) await remove(place);
        else kept.push({ place, usedAt: used.mtimeMs, bytes: await bytesOf(place) });
      }
      let total = kept.reduce((sum, one) => sum + one.bytes, 0);
      for (const one of kept.toSorted((a, b) => a.usedAt - b.usedAt))
        if (total > bytes && (await remove(one.place))) total -= one.bytes;
    },
  };

  function placeOf({ owner, id }: Pick<RemoteRepo, "owner" | "id">): string {
    return join(folder, `${owner}-${id}.git`);
  }

  /** Moved aside first: nobody finds half a mirror. False where it is in use: it stays until the next time. */
  async function remove(place: string): Promise<boolean> {
    if (users.has(place)) return false;
    for (const key of fresh.keys()) if (key.startsWith(`${place} `)) fresh.delete(key);
    const aside = `${place}.gone-${now()}`;
    try {
      await rename(place, aside);
    } catch {
      return false;
    }
    await rm(aside, { recursive: true, force: true });
    return true;
  }

  async function freshen(place: string, wish: MirrorWish): Promise<Fresh> {
    const key = `${place} ${wish.branch ?? ""}`;
    const known = fresh.get(key);
    if (known !== undefined && known.at + wish.maxAgeMs > now()) return known;
    const { branch, maxAgeMs } = wish;
    if (maxAgeMs === Infinity && branch !== null && (await hasBranch(place, branch))) return { at: 0, branch };
    const under = fetching.get(key);
    if (under !== undefined) return under;
    const mine = inTurn(place, () => fetchInto(place, wish));
    fetching.set(key, mine);
    try {
      const found = await mine;
      fresh.set(key, found);
      return found;
    } finally {
      fetching.delete(key);
    }
  }

  async function fetchInto(place: string, { repo, branch: wished }: MirrorWish): Promise<Fresh> {
    const at = now();
    const known = tooLarge.get(place);
    if (known !== undefined && known.until > at) throw known.error;
    tooLarge.delete(place);
    await ensureRepository(place);
    await dropLocks(place);
    return remotes.reach(repo, place, async (remote) => {
      const branch = wished ?? (await remote.list(["HEAD"])).defaultBranch;
      if (branch === null)
        throw new Unreachable("the repository has no default branch: it is empty, or its HEAD is detached");
      await fetchWithin(place, limits, async (signal) => {
        await remote.fetch([`+refs/heads/${branch}:refs/heads/${branch}`], signal);
        await fetchTags(createGit(place), remote, signal);
      }).catch((error: unknown) => afterFailure(place, error));
      // Who orders no branch takes the one that HEAD names.
      if (wished === null) await createGit(place).run(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
      return { at, branch };
    });
  }

  /** A mirror that is too large serves nobody, unless somebody reads it just now. */
  async function afterFailure(place: string, error: unknown): Promise<never> {
    if (error instanceof RepositoryTooLarge) {
      tooLarge.set(place, { until: now() + TOO_LARGE_MS, error });
      if ((users.get(place) ?? 0) <= 1) await rm(place, { recursive: true, force: true });
    }
    throw error;
  }

  async function inTurn<T>(place: string, act: () => Promise<T>): Promise<T> {
    const before = turns.get(place) ?? Promise.resolve();
    const mine = before.then(act, act);
    turns.set(place, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(place) === mine) turns.delete(place);
    }
  }
}

async function hasBranch(place: string, branch: string): Promise<boolean> {
  return createGit(place)
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
async function dropLocks(place: string): Promise<void> {
  const names = [...(await readdir(place)), ...(await readdir(join(place, "refs"), { recursive: true })).map(inRefs)];
  for (const name of names) if (name.endsWith(".lock")) await rm(join(place, name), { force: true });
}

function inRefs(name: string): string {
  return join("refs", name);
}

async function ensureRepository(place: string): Promise<void> {
  if (await isRepository(place)) return;
  await rm(place, { recursive: true, force: true });
  await makeBareRepository(place);
  await writeFile(join(place, "description"), "A mirror of the panel: may be removed while the panel does not run.\n");
}
