/**
 * A PostgreSQL store as a `Database`, with a bounded pool, one schema per service, and Kysely's dialect. The pool
 * interface is small, so that tests can run the same code on an in-process PostgreSQL.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  PostgresQueryCompiler,
} from "kysely";
import { Pool, type PoolConfig } from "pg";
import Cursor from "pg-cursor";
import type { Database } from "../database.ts";
import { createScope } from "../scope.ts";
import { toValue } from "../statement.ts";
import { createListener, type NotificationListener } from "./listener.ts";
import { preparingPool } from "./prepared.ts";
import { customTypes } from "./values.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly schema: string;
  readonly readOnly: boolean;
  readonly connections?: number;
  readonly statementMs?: number;
}

/** PostgreSQL performs best with few connections per core, and each process of an installation has its own pool. */
const CONNECTIONS = 10;

/** Statement timeout of requests. Migrations and copies disable it. */
const STATEMENT_MS = 30_000;

/** A server that does not connect within this time is considered down. */
const CONNECT_MS = 5_000;

/** Connections are replaced after this time, which limits server memory such as cached plans. */
const CONNECTION_SECONDS = 1_800;

const OLDEST_VERSION = 15;

export async function openPostgres<Schema>(options: PostgresOptions): Promise<Database<Schema>> {
  const config: PoolConfig = {
    connectionString: options.url,
    max: options.connections ?? CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: options.statementMs ?? STATEMENT_MS,
    maxLifetimeSeconds: CONNECTION_SECONDS,
    types: customTypes,
    application_name: `triptych ${options.schema}`,
    // An idle pool must not keep the process alive.
    allowExitOnIdle: true,
  };
  const pool = new Pool(config);
  // Without a listener, the event of a broken connection would crash the process. The running query is rejected, and
  // the pool replaces the connection.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));

  return await openPostgresOn<Schema>(preparingPool(pool), {
    schema: options.schema,
    readOnly: options.readOnly,
    listener: createListener({ ...config, statement_timeout: 0 }),
  });
}

export interface PoolOptions {
  readonly schema: string;
  readonly readOnly: boolean;
  readonly listener: NotificationListener;
}

export async function openPostgresOn<Schema>(pool: PostgresPool, options: PoolOptions): Promise<Database<Schema>> {
  const { schema, readOnly, listener } = options;
  const scope = createScope();
  const dialect = new PostgresDialect({ pool, cursor: Cursor, onReserveConnection: settle });
  const settled = new WeakSet<DatabaseConnection>();
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => scope.guard(dialect.createDriver()),
      createIntrospector: (kysely) => dialect.createIntrospector(kysely),
      createQueryCompiler: () => new QueryCompiler(),
    },
  });
  let closing: Promise<void> | null = null;

  const database: Database<Schema> = {
    engine: "postgres",
    procedures: null,
    db,
    transaction: (work) => db.transaction().execute((tx) => scope.inside(() => work(tx))),
    snapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute((tx) => scope.inside(() => work(tx))),
    version: () => null,
    async notify(channel, payload = "") {
      await db.executeQuery(CompiledQuery.raw("select pg_notify($1, $2)", [`${schema}$${channel}`, payload]));
    },
    listen: (channel, wake) => listener.listen(`${schema}$${channel}`, wake),
    close() {
      closing ??= Promise.all([listener.close(), db.destroy()]).then(() => undefined);
      return closing;
    },
    [Symbol.asyncDispose]: () => database.close(),
  };

  try {
    await refuseOldServer(db);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }

  /** Runs once per connection. The search path ends with `public`, which has the PostGIS functions. */
  async function settle(connection: DatabaseConnection): Promise<void> {
    if (settled.has(connection)) return;
    const path = `"${schema.replaceAll('"', '""')}", public`;
    await connection.executeQuery(
      CompiledQuery.raw(
        "select set_config('search_path', $1, false), set_config('default_transaction_read_only', $2, false)",
        [path, readOnly ? "on" : "off"],
      ),
    );
    settled.add(connection);
  }
}

/**
 * Rejects values that SQLite does not support, so that stores stay portable. Arrays are allowed for PostgreSQL-only
 * statements.
 */
class QueryCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    super.appendValue(Array.isArray(value) ? value : toValue(value));
  }
}

async function refuseOldServer<Schema>(db: Kysely<Schema>): Promise<void> {
  const { rows } = await db
    .executeQuery(CompiledQuery.raw("select current_setting('server_version_num')::integer / 10000 as major"))
    .catch((cause: unknown) => {
      // For a host with several addresses, the error is an aggregate without a message.
      const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
      const why = first instanceof Error ? first.message : String(first);
      throw new Error(`Cannot open the PostgreSQL store: ${why}`, { cause });
    });
  const [row] = rows;
  const major = typeof row === "object" && row !== null && "major" in row ? Number(row.major) : 0;
  if (major < OLDEST_VERSION) {
    throw new Error(`PostgreSQL ${OLDEST_VERSION} or newer is required; this server is version ${major}.`);
  }
}
