/**
 * Kysely dialect for SQLite. A Kysely connection is lightweight: outside a transaction, each query goes to the reader
 * or the writer. Inside, all queries go to the transaction on the writer.
 */
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { StoreError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import { batchOf, isScript, type Result, type Statement, toValue } from "../statement.ts";
import { isRead } from "./read-write-split.ts";
import type { SqliteStore } from "./store.ts";
import type { WriteTransaction } from "./interactive-transaction.ts";

/**
 * Maximum time that a transaction may hold the writer: less than the 5 s lock timeout of other processes, much more
 * than any request needs.
 */
const TRANSACTION_LIMIT_MS = 4_000;

export function createSqliteDialect(store: SqliteStore, scope: Scope): Dialect {
  return {
    createDriver: () => scope.guard(createDriver(store, scope)),
    createQueryCompiler: () => new QueryCompiler(),
    createAdapter: () => new SqliteAdapterForMany(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Tells Kysely that connections need no lock, because the write queue serializes them. */
class SqliteAdapterForMany extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Omits `for update` and similar clauses, so that queries work on both engines. On SQLite, a transaction is the only
 * writer anyway.
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === "Distinct" || node.rawModifier !== undefined) super.visitSelectModifier(node);
  }
}

function createDriver(store: SqliteStore, scope: Scope): Driver {
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(new SqliteConnection(store)),
    async beginTransaction(connection, settings) {
      const ownConnection = asSqliteConnection(connection);
      ownConnection.readOnly = settings.accessMode === "read only";
      ownConnection.transaction = await (ownConnection.readOnly
        ? store.snapshot()
        : store.begin({ limitMs: scope.limitMs() ?? TRANSACTION_LIMIT_MS }));
    },
    async commitTransaction(connection) {
      try {
        await transactionOf(connection).commit();
      } catch (error) {
        if (error instanceof StoreError && error.code === "aborted") throw new AbortedTransactionError();
        throw error;
      }
    },
    rollbackTransaction: (connection) => transactionOf(connection).rollback(),
    releaseConnection: async (connection) => {
      asSqliteConnection(connection).transaction = null;
    },
    destroy: () => Promise.resolve(),
  };
}

class SqliteConnection implements DatabaseConnection {
  transaction: WriteTransaction | null = null;
  readOnly = false;
  readonly #store: SqliteStore;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return toQueryResult<R>(await this.#execute(query));
  }

  async *streamQuery<R>(query: CompiledQuery, size: number): AsyncIterableIterator<QueryResult<R>> {
    const road = this.transaction ?? this.#store;
    for await (const rows of road.stream(toStatement(query), size)) yield { rows: rows as R[] };
  }

  #execute(query: CompiledQuery): Promise<Result> {
    const statement = toStatement(query);
    if (this.transaction !== null && this.readOnly && !isRead(query)) {
      return Promise.reject(new StoreError("read_only", "A snapshot is read-only."));
    }
    if (this.transaction !== null) return this.transaction.execute(statement);

    return isRead(query) ? this.#store.read(statement) : this.#store.write(statement);
  }
}

function asSqliteConnection(connection: DatabaseConnection): SqliteConnection {
  if (connection instanceof SqliteConnection) return connection;
  throw new TypeError("This connection belongs to another database.");
}

function transactionOf(connection: DatabaseConnection): WriteTransaction {
  const { transaction } = asSqliteConnection(connection);
  if (transaction === null) throw new Error("This connection has no transaction.");
  return transaction;
}

function toStatement(query: CompiledQuery): Statement {
  const rows = batchOf(query);
  const parameters = rows === undefined ? query.parameters.map(toValue) : [];
  const statement: Statement = { sql: query.sql, parameters, script: isScript(query) };
  return rows === undefined ? statement : { ...statement, rows: rows.map((row) => row.map(toValue)) };
}

function toQueryResult<R>({ rows, changes, lastId }: Result): QueryResult<R> {
  const result = { rows: rows as R[], numAffectedRows: BigInt(changes) };
  return lastId === null ? result : { ...result, insertId: lastId };
}
