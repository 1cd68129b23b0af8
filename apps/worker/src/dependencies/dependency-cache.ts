/**
 * Installed dependencies on this worker's disk, keyed by a digest of everything that affects them. An entry is what one setup created in
 * tree and home, copied before any agent starts. Runs only get copies: no process of a run sees the folder in a sandbox.
 */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeFolder } from "../process/folders.ts";
import { sealOf } from "./entry-seal.ts";
import { openEntryStore, type Entry } from "./entry-store.ts";
import { copyInto, copyPaths } from "./folder-tools.ts";
import { createReadyCopies, PARTS, type Part } from "./ready-copies.ts";
import { planRelocation, relocate, type SeenFolders } from "./relocate.ts";
import { hasSpaceFor, listPaths, removePaths } from "./restorable.ts";

/** The folders of a run on the disk, and as its processes see them. */
export interface RunFolders {
  readonly tree: string;
  readonly home: string;
  readonly seen: SeenFolders;
  readonly signal: AbortSignal;
}

interface RestoreTarget extends RunFolders {
  /** The home already has the content of the entry and is left as it is. */
  readonly hasHome: boolean;
}

interface Created {
  /** Paths in the tree, each ends with NUL. */
  readonly paths: Buffer;
  readonly folders: RunFolders;
}

export interface DependencyCache extends AsyncDisposable {
  /** False if no entry fits. */
  restore(key: string, target: RestoreTarget): Promise<boolean>;
  /** Null, or the reason why nothing is cached. */
  keep(key: string, created: Created): Promise<string | null>;
  /** Resolves when no spare copy is being made. */
  settled(): Promise<void>;
}

export interface DependencyCacheOptions {
  readonly folder: string;
  readonly bytesMax: number;
  /** False without a sandbox: an agent there can write any file, so entries of an earlier process are not used. */
  readonly isProtected: boolean;
  readonly now: () => number;
  readonly copy?: typeof copyPaths;
}

/** Bounds the age of what a registry has returned. */
const AGE_MAX_MS = 7 * 86_400_000;
/** A package store whose files are hard links of those in the tree would double an entry. */
const EXCLUDED_IN_HOME = [".local/share/pnpm/store", ".npm/_logs"];
/** The entry, and its spare copy. */
const COPIES = 2;

export async function openDependencyCache(options: DependencyCacheOptions): Promise<DependencyCache> {
  const { folder, bytesMax, isProtected, now, copy = copyPaths } = options;
  const store = await openEntryStore(folder, bytesMax, now);
  /** Seals of entries that this process made. */
  const seals = new Map<string, string>();

  async function isUsable(key: string, { seal, createdAt }: Entry): Promise<boolean> {
    if (now() - createdAt > AGE_MAX_MS) return false;
    if (!isProtected && seals.get(key) !== seal) return false;
    return (await sealIn(store.pathOf(key)).catch(() => null))?.digest === seal;
  }

  const ready = createReadyCopies({ store, isProtected, isUsable });

  return {
    async restore(key, target) {
      using used = store.use(key);
      const entry = used === null ? null : await store.read(key);
      if (entry === null) return false;
      if (!(await isUsable(key, entry))) {
        await store.remove(key);
        return false;
      }
      const path = store.pathOf(key);
      const paths = listPaths(await readFile(join(path, "paths")));
      if (!(await hasSpaceFor(paths, target.tree))) return false;
      await using own = await store.begin();
      const copyOf = async (part: Part) => {
        const taken = await ready.take(key, part, own.path);
        if (taken === null) await copyInto(join(path, part), join(own.path, part), target.signal);
        return taken ?? join(own.path, part);
      };
      if (!(await moveEntry(entry, { copyOf, paths, target }))) return false;
      await store.markUsed(key);
      ready.prepare(key);
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
      const sealed = await sealIn(part.path);
      const [seal, bytes] = [sealed.digest, COPIES * sealed.bytes];
      if (bytes > bytesMax) return `they use ${toMegabytes(bytes)} MB; the cache has ${toMegabytes(bytesMax)} MB`;
      if (await part.complete(key, { createdAt: now(), bytes, seal, relocation })) seals.set(key, seal);
      ready.prepare(key);
      return null;
    },
    settled: () => ready.settled(),
    [Symbol.asyncDispose]: () => ready[Symbol.asyncDispose](),
  };
}

interface MoveRequest {
  /** The path of a copy that only this run has. */
  readonly copyOf: (part: Part) => Promise<string>;
  /** In the tree. */
  readonly paths: readonly string[];
  readonly target: RestoreTarget;
}

/** Returns false and leaves the tree unchanged if a copy fails, for example on a full disk. */
async function moveEntry({ relocation }: Entry, { copyOf, paths, target }: MoveRequest): Promise<boolean> {
  try {
    for (const part of target.hasHome ? (["tree"] as const) : PARTS) {
      const copy = await copyOf(part);
      await relocate(relocation, part, { folder: copy, to: target.seen });
      await moveInto(copy, part === "tree" ? paths : await readdir(copy), { to: target[part], signal: target.signal });
    }
    return true;
  } catch {
    target.signal.throwIfAborted();
    await removePaths(target.tree, paths);
    if (!target.hasHome) for (const name of await readdir(target.home)) await removeFolder(join(target.home, name));
    return false;
  }
}

/** Copies what cannot be renamed, because the target is on another file system or a folder is read-only. */
async function moveInto(
  from: string,
  names: readonly string[],
  { to, signal }: { readonly to: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    for (const name of names) {
      await mkdir(dirname(join(to, name)), { recursive: true });
      await rename(join(from, name), join(to, name));
    }
  } catch {
    await copyInto(from, to, signal);
  }
}

function sealIn(path: string) {
  return sealOf([join(path, "tree"), join(path, "home")]);
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
