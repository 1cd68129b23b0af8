/**
 * A lock between processes that the kernel releases when its holder dies, however it dies: an exclusive transaction held open
 * on a small SQLite file of its own. The file stays; only the open transaction is the lock. Never lock a file that holds data:
 * a POSIX lock is lost when the same process opens and closes the file by other means.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

export interface Lock extends AsyncDisposable {
  readonly path: string;
  /** May be called twice. */
  release(): Promise<void>;
}

export interface LockOptions {
  /** How long to wait for another holder, in milliseconds; 0. */
  readonly wait?: number;
}

/** Somebody else holds the lock. */
export class FileLockHeldError extends Error {
  constructor(path: string) {
    super(`Another process holds ${path}. Stop it, or use another data folder.`);
    this.name = "FileLockHeldError";
  }
}

/** Short enough that a command started after another ends is not felt to wait. */
const RETRY_INTERVAL_MS = 25;

/** Resolves when this process alone holds `path`, which it creates; rejects with `LockHeld` when the time is over. */
export async function acquireFileLock(path: string, options: LockOptions = {}): Promise<Lock> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));

  const until = performance.now() + (options.wait ?? 0);
  for (;;) {
    const database = tryToHold(path);
    if (database !== null) return toLock(path, database);
    if (performance.now() >= until) throw new FileLockHeldError(path);

    await wait(Math.min(RETRY_INTERVAL_MS, Math.max(1, until - performance.now())));
  }
}

function tryToHold(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // In memory: a journal beside the lock file would be one more thing that a killed process leaves behind.
    database.exec("pragma journal_mode = memory; begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw new Error(`The lock ${path} cannot be taken.`, { cause: error });
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}

function toLock(path: string, database: DatabaseSync): Lock {
  const release = (): Promise<void> => {
    if (database.isOpen) database.close();
    return Promise.resolve();
  };
  return { path, release, [Symbol.asyncDispose]: release };
}
