/**
 * Commits a write: a write that is rolled back never reaches the disk, so it would succeed on a full one. Anyone may
 * query readiness, so callers share one probe per second.
 */
import { sql } from "kysely";
import type { Database } from "./database.ts";

export const PROBE_TABLE = "triptych_write_probe";

const PROBE_INTERVAL_MS = 1000;
/**
 * As large as a typical commit: on an almost full disk, a single page may still fit. The content is random, because
 * SQLite skips unchanged pages.
 */
const FILLER_BYTES = 64 * 1024;

/** Returns null if the last probe committed, otherwise the error message. */
export type WriteProbe = () => Promise<string | null>;

export function createWriteProbe<Schema>(
  database: Database<Schema>,
  now: () => number = () => performance.now(),
): WriteProbe {
  let table: Promise<void> | null = null;
  let latest: { readonly startedAt: number; readonly result: Promise<string | null> } | null = null;
  let isRunning = false;

  return () => {
    if (latest === null || (!isRunning && now() - latest.startedAt >= PROBE_INTERVAL_MS)) {
      isRunning = true;
      latest = { startedAt: now(), result: probe().finally(() => (isRunning = false)) };
    }
    return latest.result;
  };

  async function probe(): Promise<string | null> {
    try {
      table ??= createTable(database);
      await table;
      const filler = database.engine === "sqlite" ? sql`randomblob(${FILLER_BYTES})` : sql`null`;
      await sql`insert into ${sql.table(PROBE_TABLE)} (single, probed_at, filler) values (1, ${Date.now()}, ${filler})
        on conflict (single) do update set probed_at = excluded.probed_at, filler = excluded.filler`.execute(
        database.db,
      );
      return null;
    } catch (error) {
      table = null;
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Not a migration, because the table contains no service data and exists in every store. */
async function createTable<Schema>(database: Database<Schema>): Promise<void> {
  const isSqlite = database.engine === "sqlite";
  const [integer, bytes, strict] = isSqlite ? ["integer", "blob", " strict"] : ["bigint", "bytea", ""];
  await database.transaction(async (tx) => {
    // If two processes create a table concurrently, one of them fails, even with `if not exists`.
    if (!isSqlite) await sql`select pg_advisory_xact_lock(hashtextextended(${PROBE_TABLE}, 0))`.execute(tx);
    await sql
      .raw(
        `create table if not exists ${PROBE_TABLE} (single ${integer} primary key check (single = 1), probed_at ${integer} not null, filler ${bytes})${strict}`,
      )
      .execute(tx);
  });
}
