/**
 * The publication lock, across processes: a kernel file lock or a PostgreSQL connection, so a killed import never
 * blocks the next one. A lock may be lost unnoticed (broken connection); the attempt number in `staging` then rejects
 * the loser.
 */
import { holdExclusive, LockHeld, sql, type Database } from "@triptych/storage";
import type { TakeTurn } from "./published-versions.ts";
import type { DirectoryTables } from "./tables.ts";

/** Advisory locks are per database; the schema name separates two directories in one database. */
const ADVISORY_KEY = sql`hashtext('triptych publication'), hashtext(current_schema())`;

export function turnInProcess(): TakeTurn {
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

export function turnOnConnection({ db }: Database<DirectoryTables>): TakeTurn {
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

export function turnByFile(path: string): TakeTurn {
  // Checked first: POSIX locks belong to the process, so locking the file a second time could release the first lock.
  const inProcess = turnInProcess();
  return async () => {
    const turn = await inProcess();
    if (turn === null) return null;
    try {
      const lock = await holdExclusive(path);
      return endingOnce(async () => {
        await lock.release();
        await turn[Symbol.asyncDispose]();
      });
    } catch (error) {
      await turn[Symbol.asyncDispose]();
      if (error instanceof LockHeld) return null;
      throw error;
    }
  };
}

function endingOnce(end: () => Promise<void>): AsyncDisposable {
  let ended: Promise<void> | null = null;
  return { [Symbol.asyncDispose]: () => (ended ??= end()) };
}
