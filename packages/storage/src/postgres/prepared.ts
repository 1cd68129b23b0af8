/**
 * Prepared statements, because planning a key lookup takes longer than executing it. Kysely has no API for them, so the
 * parameter array carries the statement name. The server keeps plans as long as the connection, so use only a few
 * distinct statements.
 */
import { hash } from "node:crypto";
import type { Kysely, PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult, RawBuilder } from "kysely";
import type { Pool, PoolClient, QueryResult } from "pg";
import type { Row } from "../statement.ts";

const names = new WeakMap<readonly unknown[], string>();

export async function readPrepared<Found, Schema>(db: Kysely<Schema>, statement: RawBuilder<Found>): Promise<Found[]> {
  const query = statement.compile(db);
  names.set(query.parameters, `triptych_${hash("sha1", query.sql)}`);
  const { rows } = await db.executeQuery(query);
  return rows;
}

/** Wraps the pool for Kysely. Each client has one wrapper, because Kysely identifies connections by object. */
export function preparingPool(pool: Pool): PostgresPool {
  const faces = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const existing = faces.get(client);
      if (existing !== undefined) return existing;
      const face = wrapClient(client);
      faces.set(client, face);
      return face;
    },
  };
}

function wrapClient(client: PoolClient): PostgresPoolClient {
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

function selected({ rows, rowCount }: QueryResult<Row>): PostgresQueryResult<unknown> {
  return { command: "SELECT", rowCount: rowCount ?? 0, rows };
}
