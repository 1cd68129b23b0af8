/**
 * Snapshots as files of one folder. A file is written under a temporary name, synced and renamed, and then the folder
 * is synced, so the final name implies complete bytes. Names contain the version ID: files of two versions coexist.
 */
import { randomUUID } from "node:crypto";
import { constants, close, fstatSync, openSync, read, readSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ByteSink, ByteSource } from "../domain/index/snapshot.ts";
import { promisify } from "node:util";

const SUFFIX = ".snapshot";
const PASSING = ".writing";
/** Temporary files untouched for this long belong to a dead process. */
const ABANDONED_MS = 3_600_000;
/** Bytes per write: hundreds of writes for a big snapshot instead of a million. */
const WRITE_BLOCK = 1 << 20;

export interface SnapshotFiles {
  readonly folder: string;
  pathOf(versionId: string): string;
  exists(versionId: string): Promise<boolean>;
  /** Writes and syncs a new temporary file and returns its path; removes it on failure. */
  write<T>(fill: (sink: ByteSink) => Promise<T>): Promise<{ readonly path: string; readonly result: T }>;
  install(path: string, versionId: string): Promise<void>;
  remove(versionId: string): Promise<void>;
  removePassing(path: string): Promise<void>;
  /** Removes files of versions below `number`, of other contents of `number`, and of dead processes. */
  cleanUp(current: { readonly number: number; readonly id: string }, now: number): Promise<void>;
}

export function snapshotFiles(folder: string): SnapshotFiles {
  const pathOf = (versionId: string) => join(folder, versionId + SUFFIX);
  return {
    folder,
    pathOf,

    exists: (versionId) =>
      stat(pathOf(versionId)).then(
        (found) => found.isFile(),
        () => false,
      ),

    async write(fill) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${randomUUID()}${PASSING}`);
      try {
        const result = await writeSynced(path, fill);
        return { path, result };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },

    async install(path, versionId) {
      await rename(path, pathOf(versionId));
      await syncFolder(folder);
    },

    remove: (versionId) => rm(pathOf(versionId), { force: true }),
    removePassing: (path) => rm(path, { force: true }),

    async cleanUp(current, now) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        if (await isLeftover(join(folder, name), name, { current, now })) await rm(join(folder, name), { force: true });
      }
    },
  };
}

async function writeSynced<T>(path: string, fill: (sink: ByteSink) => Promise<T>): Promise<T> {
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    let waiting: Uint8Array[] = [];
    let length = 0;
    const flush = async () => {
      const blocks = waiting;
      waiting = [];
      length = 0;
      for (const block of joined(blocks))
        for (let done = 0; done < block.length;) done += (await file.write(block, done)).bytesWritten;
    };
    const result = await fill({
      async append(bytes) {
        waiting.push(bytes);
        length += bytes.length;
        if (length >= WRITE_BLOCK) await flush();
      },
    });
    await flush();
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/** Joins small pieces. Large ones stay separate, to avoid a second copy in memory. */
function joined(pieces: readonly Uint8Array[]): Uint8Array[] {
  const last = pieces.at(-1);
  if (last === undefined || last.length < WRITE_BLOCK) return [Buffer.concat(pieces)];
  return [Buffer.concat(pieces.slice(0, -1)), last];
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isLeftover(
  path: string,
  name: string,
  { current, now }: { current: { number: number; id: string }; now: number },
): Promise<boolean> {
  if (name.endsWith(PASSING)) {
    const found = await stat(path).catch(() => null);
    return found !== null && now - found.mtimeMs > ABANDONED_MS;
  }
  const number = /^(\d+)-[0-9a-f]{12}$/.exec(name.slice(0, -SUFFIX.length))?.[1];
  if (!name.endsWith(SUFFIX) || number === undefined) return false;
  // A higher number belongs to a publication in progress.
  return Number(number) < current.number || (Number(number) === current.number && name !== current.id + SUFFIX);
}

/** Maximum length of a synchronous read: a few items. */
const SHORT_READ = 1 << 18;

const readLong = promisify(read);
const closeAside = promisify(close);

export interface SnapshotReader {
  readonly source: ByteSource;
  /**
   * No reads are possible afterwards. Frees the disk space of a deleted file, which takes 30 ms for 165 MB and far more for a large
   * one, so it runs outside the thread.
   */
  close(): Promise<void>;
}

export function openSnapshotReader(path: string): SnapshotReader {
  const file = openSync(path, "r");
  let closing: Promise<void> | null = null;
  const source: ByteSource = {
    size: fstatSync(file).size,
    async read(offset, length) {
      if (closing !== null) throw new Error("the snapshot was closed while in use");
      if (length <= SHORT_READ) return readNow(file, offset, length);
      const bytes = Buffer.allocUnsafeSlow(length);
      await readAside(file, offset, bytes);
      return bytes;
    },
    readInto: (offset, into) => readAside(file, offset, into),
  };
  return { source, close: () => (closing ??= closeAside(file)) };
}

function readNow(file: number, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) done += advance(readSync(file, bytes, done, length - done, offset + done));
  return bytes;
}

async function readAside(file: number, offset: number, into: Uint8Array): Promise<void> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await readLong(file, into, done, into.length - done, offset + done);
    done += advance(bytesRead);
  }
}

function advance(bytesRead: number): number {
  if (bytesRead === 0) throw new Error("the snapshot is shorter than its header says");
  return bytesRead;
}
