/**
 * A spare copy of each entry, made while no run waits for it. A run gets it by renaming a few folders; copying means thousands of new
 * files, which was most of the time between order and agent.
 */
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sealOf } from "./entry-seal.ts";
import type { Entry, EntryStore } from "./entry-store.ts";
import { copyInto } from "./folder-tools.ts";

export const PARTS = ["tree", "home"] as const;
export type Part = (typeof PARTS)[number];

export interface ReadyCopies extends AsyncDisposable {
  /** Moves the copy into a folder of the caller and returns its path. Null if none is ready, or somebody changed it. */
  take(key: string, part: Part, into: string): Promise<string | null>;
  /** Makes the missing copies in the background, one entry after the other. */
  prepare(key: string): void;
  /** Resolves when no copy is being made. */
  settled(): Promise<void>;
}

export interface ReadyCopiesOptions {
  readonly store: EntryStore;
  /** If false, only copies that this process made are used, as with entries. */
  readonly isProtected: boolean;
  readonly isUsable: (key: string, entry: Entry) => Promise<boolean>;
}

const FILES = "files";
const SEAL = "seal";

export function createReadyCopies({ store, isProtected, isUsable }: ReadyCopiesOptions): ReadyCopies {
  /** Seals of copies that this process made, by path. */
  const seals = new Map<string, string>();
  const queued = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let last = Promise.resolve();
  const pathOf = (key: string, part: Part) => join(store.pathOf(key), `ready-${part}`);

  return {
    async take(key, part, into) {
      await running.get(key);
      const ready = pathOf(key, part);
      const taken = join(into, `ready-${part}`);
      // If several runs start at once, the rename decides which one gets the copy; the others copy the entry.
      const isTaken = await rename(ready, taken).then(
        () => true,
        () => false,
      );
      if (!isTaken) return null;
      const seal = isProtected ? await readFile(join(taken, SEAL), "utf8").catch(() => null) : seals.get(ready);
      seals.delete(ready);
      const files = join(taken, FILES);
      return (await sealOf([files]).catch(() => null))?.digest === seal ? files : null;
    },
    prepare(key) {
      if (queued.has(key)) return;
      queued.add(key);
      last = makeAfter(last, key);
    },
    settled: () => last,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await last;
    },
  };

  async function makeAfter(before: Promise<void>, key: string): Promise<void> {
    await before;
    queued.delete(key);
    if (stopping.signal.aborted) return;
    // A failure, for example a full disk, only makes the next run slower.
    const made = makeMissing(key).catch(() => {});
    running.set(key, made);
    await made;
    running.delete(key);
  }

  async function makeMissing(key: string): Promise<void> {
    using used = store.use(key);
    const entry = used === null ? null : await store.read(key);
    if (entry === null) return;
    for (const part of PARTS) {
      const ready = pathOf(key, part);
      if ((await stat(ready).catch(() => null)) !== null) continue;
      await using work = await store.begin();
      const made = join(work.path, "ready");
      const files = join(made, FILES);
      await mkdir(files, { recursive: true, mode: 0o700 });
      await copyInto(join(store.pathOf(key), part), files, stopping.signal);
      // Checked after the copy, because an entry that was changed or replaced in the meantime must not spread.
      const now = await store.read(key);
      if (now?.seal !== entry.seal || !(await isUsable(key, now))) return;
      const { digest } = await sealOf([files]);
      await writeFile(join(made, SEAL), digest, { mode: 0o600 });
      await rename(made, ready);
      seals.set(ready, digest);
    }
  }
}
