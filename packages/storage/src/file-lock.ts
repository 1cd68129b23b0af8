/**
 * An interprocess lock that the kernel releases when the process dies: an open exclusive transaction on its own
 * SQLite file. Never lock a data file: POSIX locks are lost when the process opens and closes the file elsewhere.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

export interface Lock extends AsyncDisposable {
  readonly path: string;
  release(): Promise<void>;
}

export interface LockOptions {
  readonly wait?: number;
}

export class FileLockHeldError extends Error {
  constructor(path: string) {
    super(`Another process holds ${path}. Stop it, or use another data folder.`);
    this.name = "FileLockHeldError";
  }
}

/** Short, so that a command that waits for another one starts without a noticeable delay. */
const RETRY_INTERVAL_MS = 25;

/** Resolves when this process holds the lock on `path`. Rejects with `FileLockHeldError` after the timeout. */
export async function acquireFileLock(path: string, options: LockOptions = {}): Promise<Lock> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));

  const until = performance.now() + (options.wait ?? 0);
  for (;;) {
    const database = tryAcquire(path);
    if (database !== null) return toLock(path, database);
    if (performance.now() >= until) throw new FileLockHeldError(path);

    await wait(Math.min(RETRY_INTERVAL_MS, Math.max(1, until - performance.now())));
  }
}

function tryAcquire(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // The journal is in memory, because a journal file would remain after a kill.
    database.exec("pragma journal_mode = memory; begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw new Error(`Cannot acquire the lock ${path}.`, { cause: error });
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
