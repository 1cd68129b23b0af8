/**
 * The publication lock, across processes: a kernel file lock or a PostgreSQL connection, so a killed import never
 * blocks the next one. A lock may be lost unnoticed (broken connection); the attempt number in `staging` then rejects
 * the loser.
 */
import { acquireFileLock, FileLockHeldError, sql, type Database } from "@triptych/storage";
import type { PublishLock } from "./published-versions.ts";
import type { DirectoryTables } from "./tables.ts";

/** Advisory locks are per database; the schema name separates two directories in one database. */
const ADVISORY_KEY = sql`hashtext('triptych publication'), hashtext(current_schema())`;

export function lockInProcess(): PublishLock {
  let isTaken = false;
  return () => {
    if (isTaken) return Promise.resolve(null);
    isTaken = true;
    return Promise.resolve(
      endingOnce(() => {
        isTaken = false;
        return Promise.resolve();
      }),
    );
  };
}

export function lockOnConnection({ db }: Database<DirectoryTables>): PublishLock {
  return async () => {
    const end = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    const holding = db.connection().execute(async (connection) => {
      const { rows } = await sql<{
        taken: boolean;
      }>`select pg_try_advisory_lock(${ADVISORY_KEY}) as taken`.execute(connection);
      const taken = rows.some((row) => row.taken);
      answer.resolve(taken);
      if (!taken) return;
      await end.promise;
      await sql`select pg_advisory_unlock(${ADVISORY_KEY})`.execute(connection);
    });
    holding.catch((error: unknown) => answer.reject(error));
    if (!(await answer.promise)) return null;
    return endingOnce(async () => {
      end.resolve();
      // A broken connection has already released the lock.
      await holding.catch(() => {});
    });
  };
}

export function lockByFile(path: string): PublishLock {
  // Checked first: POSIX locks belong to the process, so locking the file a second time could release the first lock.
  const inProcess = lockInProcess();
  return async () => {
    const processLock = await inProcess();
    if (processLock === null) return null;
    try {
      const lock = await acquireFileLock(path);
      return endingOnce(async () => {
        await lock.release();
        await processLock[Symbol.asyncDispose]();
      });
    } catch (error) {
      await processLock[Symbol.asyncDispose]();
      if (error instanceof FileLockHeldError) return null;
      throw error;
    }
  };
}

function endingOnce(end: () => Promise<void>): AsyncDisposable {
  let ended: Promise<void> | null = null;
  return { [Symbol.asyncDispose]: () => (ended ??= end()) };
}
