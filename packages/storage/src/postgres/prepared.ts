/**
 * Statements that the server parses and plans once for each connection, and then only runs: for one that finds a few rows by their
 * keys, planning takes longer than running. Kysely has no word for them, so the mark travels with the very array of parameters that
 * it hands on, and the pool that it is given passes the statement's name to the driver.
 *
 * The server keeps a plan as long as its connection. Whoever prepares must have few texts, and connections must not live for ever.
 */
import { hash } from "node:crypto";
import type { Kysely, PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult, RawBuilder } from "kysely";
import type { Pool, PoolClient, QueryResult } from "pg";
import type { Row } from "../statement.ts";

const names = new WeakMap<readonly unknown[], string>();

/** Reads with a statement under a name of its own. An engine that knows no names reads as ever. */
export async function readPrepared<Found, Schema>(db: Kysely<Schema>, statement: RawBuilder<Found>): Promise<Found[]> {
  const query = statement.compile(db);
  names.set(query.parameters, `triptych_${hash("sha1", query.sql)}`);
  const { rows } = await db.executeQuery(query);
  return rows;
}

/** The pool as Kysely sees it. One client has one face, because Kysely knows connections by it. */
export function preparingPool(pool: Pool): PostgresPool {
  const faces = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const existing = faces.get(client);
      if (existing !== undefined) return existing;
      const face = faceOf(client);
      faces.set(client, face);
      return face;
    },
  };
}

function faceOf(client: PoolClient): PostgresPoolClient {
  const plain: PostgresPoolClient = client;
  return {
    query: query as PostgresPoolClient["query"],
    release: (destroy) => client.release(destroy),
  };

  function query(
    statement: string | PostgresCursor<unknown>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<unknown>> | PostgresCursor<unknown> {
    if (typeof statement !== "string") return plain.query(statement);
    const name = names.get(parameters);
    if (name === undefined) return plain.query(statement, parameters);
    return client.query<Row>({ name, text: statement, values: [...parameters] }).then(selected);
  }
}

/** Only reading is prepared: what else a result may say is not asked for. */
function selected({ rows, rowCount }: QueryResult<Row>): PostgresQueryResult<unknown> {
  return { command: "SELECT", rowCount: rowCount ?? 0, rows };
}
