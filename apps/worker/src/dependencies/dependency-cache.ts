/**
 * Installed dependencies on this worker's disk, by the digest of everything that decides them. An entry is what one setup created in tree
 * and home, copied before any agent starts. Runs only get copies: no process of a run sees the folder in a sandbox.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../process/folders.ts";
import { sealOf } from "./entry-seal.ts";
import { openEntryStore, type Entry } from "./entry-store.ts";
import { copyInto, copyPaths } from "./folder-tools.ts";
import { planRelocation, relocate, type SeenFolders } from "./relocate.ts";
import { hasSpaceFor, removePaths } from "./restorable.ts";

/** The folders of a run on the disk, and as its processes see them. */
export interface RunFolders {
  readonly tree: string;
  readonly home: string;
  readonly seen: SeenFolders;
  readonly signal: AbortSignal;
}

interface RestoreTarget extends RunFolders {
  /** The home has the content of the entry, and stays as it is. */
  readonly hasHome: boolean;
}

interface Created {
  /** Paths in the tree, each ends with NUL. */
  readonly paths: Buffer;
  readonly folders: RunFolders;
}

export interface DependencyCache {
  /** False where no entry fits. */
  restore(key: string, target: RestoreTarget): Promise<boolean>;
  /** Null, or the reason why nothing is cached. */
  keep(key: string, created: Created): Promise<string | null>;
}

export interface DependencyCacheOptions {
  readonly folder: string;
  readonly bytesMax: number;
  /** False below a sandbox: an agent there can write any file, so entries of an earlier process are not used. */
  readonly isProtected: boolean;
  readonly now: () => number;
  readonly copy?: typeof copyPaths;
}

/** Bounds the age of what a registry answered. */
const AGE_MAX_MS = 7 * 86_400_000;
/** A package store whose files are hard links of those in the tree would double an entry. */
const EXCLUDED_IN_HOME = [".local/share/pnpm/store", ".npm/_logs"];

export async function openDependencyCache(options: DependencyCacheOptions): Promise<DependencyCache> {
  const { folder, bytesMax, isProtected, now, copy = copyPaths } = options;
  const store = await openEntryStore(folder, bytesMax, now);
  /** Of entries that this process made. */
  const seals = new Map<string, string>();

  async function isUsable(key: string, { seal, createdAt }: Entry): Promise<boolean> {
    if (now() - createdAt > AGE_MAX_MS) return false;
    if (!isProtected && seals.get(key) !== seal) return false;
    return (await sealIn(store.pathOf(key)).catch(() => null))?.digest === seal;
  }

  return {
    async restore(key, target) {
      using used = store.use(key);
      const entry = used === null ? null : await store.read(key);
      if (entry === null) return false;
      if (!(await isUsable(key, entry))) {
        await store.remove(key);
        return false;
      }
      if (!(await copyEntry(store.pathOf(key), entry, target))) return false;
      await store.markUsed(key);
      return true;
    },
    async keep(key, { paths, folders }) {
      if (!Buffer.from(paths.toString("utf8")).equals(paths)) return "a file name is not UTF-8";
      await using part = await store.begin();
      await copy(folders.tree, paths, join(part.path, "tree"), folders.signal);
      await copyInto(folders.home, join(part.path, "home"), folders.signal);
      for (const name of EXCLUDED_IN_HOME) await removeFolder(join(part.path, "home", name));
      const relocation = await planRelocation(part.path, folders.seen);
      if (typeof relocation === "string") return relocation;
      await writeFile(join(part.path, "paths"), paths, { mode: 0o600 });
      const { digest: seal, bytes } = await sealIn(part.path);
      if (bytes > bytesMax) return `they use ${toMegabytes(bytes)} MB; the cache has ${toMegabytes(bytesMax)} MB`;
      if (await part.complete(key, { createdAt: now(), bytes, seal, relocation })) seals.set(key, seal);
      return null;
    },
  };
}

/** False, with the tree as it was, where the entry does not fit or the copy fails, for example on a full disk. */
async function copyEntry(path: string, { relocation }: Entry, target: RestoreTarget): Promise<boolean> {
  const paths = await readFile(join(path, "paths"));
  if (!(await hasSpaceFor(paths, target.tree))) return false;
  const parts = target.hasHome ? (["tree"] as const) : (["tree", "home"] as const);
  try {
    for (const below of parts) {
      await copyInto(join(path, below), target[below], target.signal);
      await relocate(relocation, below, { folder: target[below], to: target.seen });
    }
    return true;
  } catch {
    target.signal.throwIfAborted();
    await removePaths(target.tree, paths);
    if (!target.hasHome) for (const name of await readdir(target.home)) await removeFolder(join(target.home, name));
    return false;
  }
}

function sealIn(path: string) {
  return sealOf([join(path, "tree"), join(path, "home")]);
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
