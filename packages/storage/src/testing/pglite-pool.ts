/**
 * PGlite, an in-process PostgreSQL, as a pool with one connection. Databases share the instance, which takes seconds
 * to start, each in its own schema: acquiring the connection sets the search path.
 *
 * Limitation: no concurrent transactions. Waiting for a second connection while holding the first fails after 5 s
 * instead of deadlocking.
 */
import type { PGlite } from "@electric-sql/pglite";
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { parsers } from "../postgres/values.ts";

const WAIT_MS = 5_000;

interface ConnectionLock {
  readonly take: () => Promise<() => void>;
}

export interface SharedPglite {
  readonly pglite: PGlite;
  readonly lock: ConnectionLock;
}

/** Serializes access to the connection. */
export function createConnectionLock(): ConnectionLock {
  let last: Promise<void> = Promise.resolve();
  return {
    async take() {
      const mine = Promise.withResolvers<void>();
      const before = last;
      last = before.then(() => mine.promise);
      const timer = Promise.withResolvers<never>();
      const timeout = setTimeout(
        () => timer.reject(new Error("PGlite has one connection, and its holder has not released it.")),
        WAIT_MS,
      );
      try {
        await Promise.race([before, timer.promise]);
      } catch (error) {
        mine.resolve();
        throw error;
      } finally {
        clearTimeout(timeout);
      }
      return mine.resolve;
    },
  };
}

export function createPglitePool(
  { pglite, lock }: SharedPglite,
  settings: { readonly schema: string; readonly readOnly: boolean },
): PostgresPool {
  let release: () => void = () => undefined;
  let aborted = false;

  const client: PostgresPoolClient = {
    query: query as PostgresPoolClient["query"],
    release: () => release(),
  };

  return {
    options: {},
    async connect() {
      const free = await lock.take();
      release = free;
      aborted = false;
      await pglite.query(
        "select set_config('search_path', $1, false), set_config('default_transaction_read_only', $2, false)",
        [`"${settings.schema}", public`, settings.readOnly ? "on" : "off"],
      );
      return client;
    },
    end: () => Promise.resolve(),
  };

  function query(
    statement: string | QueryCursor,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<unknown>> | PostgresCursor<unknown> {
    return typeof statement === "string" ? run(statement, parameters) : openCursor(statement);
  }

  async function run(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const command = commandOf(sql);
    try {
      const result = await execute(sql, parameters);
      if (command === "COMMIT" && aborted) return { command: "ROLLBACK", rowCount: 0, rows: [] };
      if (command === "ROLLBACK") aborted = false;
      return { command, rowCount: result.affectedRows ?? 0, rows: result.rows };
    } catch (error) {
      aborted = true;
      throw error;
    }
  }

  async function execute(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<{ rows: unknown[]; affectedRows?: number | undefined }> {
    if (parameters.length > 0) return await pglite.query(sql, [...parameters], { parsers });

    // Without parameters, the text may contain several statements, as on a server.
    const results = await pglite.exec(sql, { parsers });
    return results.at(-1) ?? { rows: [] };
  }

  function openCursor({ text, values }: QueryCursor): PostgresCursor<unknown> {
    const opened = run("begin", []).then(() =>
      pglite.query(`declare triptych_cursor no scroll cursor for ${text}`, [...(values ?? [])]),
    );
    return {
      async read(count) {
        await opened;
        return (await run(`fetch ${count} from triptych_cursor`, [])).rows;
      },
      async close() {
        await opened.catch(() => undefined);
        await run("rollback", []);
      },
    };
  }
}

/** The parts of a query used by `pg-cursor`. */
interface QueryCursor {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** PGlite reports no command tag, but Kysely requires one. */
function commandOf(sql: string): PostgresQueryResult<unknown>["command"] {
  const keyword = /^[\s(]*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? "";
  switch (keyword) {
    case "INSERT":
    case "UPDATE":
    case "DELETE":
    case "MERGE":
    case "COMMIT":
    case "ROLLBACK":
      return keyword;
    case "WITH":
      return /\b(insert\s+into|update|delete\s+from)\b/i.test(sql) ? "INSERT" : "SELECT";
    default:
      return "SELECT";
  }
}
