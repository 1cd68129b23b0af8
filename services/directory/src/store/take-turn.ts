/**
 * The only turn to prepare a version, over all processes. It is held by something that ends with the process: the kernel's lock on
 * a file, or a connection to PostgreSQL. So a killed import never blocks the next one. A turn may be lost without its holder
 * noticing (a broken connection); the attempt number in `staging` then stops the loser.
 */
import { holdExclusive, LockHeld, sql, type Database } from "@triptych/storage";
import type { TakeTurn } from "./editions.ts";
import type { DirectoryTables } from "./tables.ts";

/** Locks are per database; the schema's name keeps two directories in one database apart. */
const ADVISORY_KEY = sql`hashtext('triptych publication'), hashtext(current_schema())`;

/** For a store that only this process has. */
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

/** On PostgreSQL: a lock of one connection, which is kept for as long as the turn lasts. */
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
      // A connection that broke has given the lock back already.
      await holding.catch(() => {});
    });
  };
}

/** Where all processes share a folder: a lock of the kernel on a file there. */
export function turnByFile(path: string): TakeTurn {
  // Asked first: taking the file's lock a second time in one process could release the first (POSIX locks belong to the process).
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
