/** Entries of the dependency cache on the disk: each is complete or absent, in use or removable, and together they stay below a limit. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { readJson } from "../process/json-access.ts";
import { removeFolder } from "../process/folders.ts";
import { Relocation } from "./relocate.ts";

export const Entry = Type.Object({
  createdAt: Type.Number(),
  bytes: Type.Number(),
  seal: Type.String(),
  relocation: Relocation,
});
export type Entry = Static<typeof Entry>;

/** A folder that becomes an entry when it is complete; removed on close. */
export interface EntryPart extends AsyncDisposable {
  readonly path: string;
  /** False if another run was first: its entry has the same content. */
  complete(key: string, entry: Entry): Promise<boolean>;
}

export interface EntryStore {
  pathOf(key: string): string;
  read(key: string): Promise<Entry | null>;
  /** While it is open, the entry is not evicted. Null if the entry is being removed. */
  use(key: string): Disposable | null;
  markUsed(key: string): Promise<void>;
  begin(): Promise<EntryPart>;
  remove(key: string): Promise<void>;
}

const RECORD = "entry.json";
const PART = "part-";

/** Removes what a killed worker left. */
export async function openEntryStore(folder: string, bytesMax: number, now: () => number): Promise<EntryStore> {
  const users = new Map<string, number>();
  const leaving = new Set<string>();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) if (name.startsWith(PART)) await removeFolder(join(folder, name));
  const newPart = () => join(folder, `${PART}${randomUUID()}`);
  const pathOf = (key: string) => join(folder, key);

  const store: EntryStore = {
    pathOf,
    async read(key) {
      const stored = await readJson(join(pathOf(key), RECORD));
      return Value.Check(Entry, stored) ? stored : null;
    },
    use(key) {
      if (leaving.has(key)) return null;
      users.set(key, (users.get(key) ?? 0) + 1);
      return { [Symbol.dispose]: () => void users.set(key, (users.get(key) ?? 1) - 1) };
    },
    markUsed: (key) => setUsed(pathOf(key)),
    async begin() {
      const path = newPart();
      for (const below of ["tree", "home"]) await mkdir(join(path, below), { recursive: true, mode: 0o700 });
      return {
        path,
        async complete(key, entry) {
          await writeFile(join(path, RECORD), JSON.stringify(entry), { mode: 0o600 });
          await setUsed(path);
          await evict(bytesMax - entry.bytes);
          return rename(path, pathOf(key)).then(
            () => true,
            () => false,
          );
        },
        [Symbol.asyncDispose]: () => removeFolder(path),
      };
    },
    /** Renamed first, because a partly removed entry must not look complete after a restart. */
    async remove(key) {
      const part = newPart();
      leaving.add(key);
      await rename(pathOf(key), part).catch(() => {});
      leaving.delete(key);
      await removeFolder(part);
    },
  };
  return store;

  async function setUsed(path: string): Promise<void> {
    const used = new Date(now());
    await utimes(join(path, RECORD), used, used);
  }

  /** Removes the least recently used entries until the others have at most `most` bytes. */
  async function evict(most: number): Promise<void> {
    const entries: { readonly key: string; readonly bytes: number; readonly usedAt: number }[] = [];
    for (const key of await readdir(folder)) {
      if (key.startsWith(PART)) continue;
      const bytes = (await store.read(key))?.bytes ?? 0;
      entries.push({ key, bytes, usedAt: (await stat(join(pathOf(key), RECORD)).catch(() => null))?.mtimeMs ?? 0 });
    }
    let sum = entries.reduce((total, { bytes }) => total + bytes, 0);
    for (const { key, bytes } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (sum <= most) return;
      if ((users.get(key) ?? 0) > 0) continue;
      await store.remove(key);
      sum -= bytes;
    }
  }
}
