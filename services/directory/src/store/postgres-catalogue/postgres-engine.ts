/** Engine (b) as the directory serves it: tables are built with the staged version, or by the first that opens one without them. */
import { sql, type Database } from "@triptych/storage";
import type { Edition, Editions } from "../../domain/editions.ts";
import type { SnapshotEvent } from "../memory-engine.ts";
import type { ServingEngine } from "../serving-engine.ts";
import type { DirectoryTables } from "../tables.ts";
import { buildTables } from "./build-tables.ts";
import { dropTables, prepareIndexSchema, readIndexEdition, versionsWithTables } from "./index-tables.ts";
import { openPostgresCatalogue } from "./postgres-catalogue.ts";

export interface PostgresEngineOptions {
  readonly database: Database<DirectoryTables>;
  /** Schema of the service; the index has one of its own beside it. */
  readonly schema: string;
  readonly editions: Editions;
  readonly report: (event: SnapshotEvent) => void;
}

export function createPostgresEngine({ database, schema, editions, report }: PostgresEngineOptions): ServingEngine {
  const { db } = database;
  const build = async (version: number) =>
    buildTables(db, schema, { version, items: editions.items(version), tagLabels: await editions.labels(version) });

  const rebuild = async (edition: Edition) => {
    const { contentHash } = await build(edition.number);
    report({ version: edition.id, what: "rebuilt" });
    if (contentHash !== edition.contentHash) {
      const reason = "the rows of this version no longer give the content that was published";
      report({ version: edition.id, what: "differs", reason });
    }
    return readIndexEdition(db, schema, { version: edition.number, contentHash });
  };

  /** Holds a lock of the database, on a connection of its own, while `work` goes on. */
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    db.connection().execute(async (connection) => {
      const key = sql`hashtext('triptych index'), hashtext(${schema})`;
      await sql`select set_config('statement_timeout', '0', false)`.execute(connection);
      await sql`select pg_advisory_lock(${key})`.execute(connection);
      try {
        return await work();
      } finally {
        await sql`select pg_advisory_unlock(${key})`.execute(connection);
        await sql`reset statement_timeout`.execute(connection);
      }
    });

  return {
    name: "postgres",

    async prepare(staged) {
      await prepareIndexSchema(db, schema);
      const { contentHash, itemCount } = await build(staged);
      return { contentHash, items: itemCount, keep: async () => {}, discard: () => dropTables(db, schema, staged) };
    },

    async open(edition) {
      await prepareIndexSchema(db, schema);
      const wanted = { version: edition.number, contentHash: edition.contentHash };
      const find = () => readIndexEdition(db, schema, wanted);
      // Nodes that start together must not build into each other's tables: the second one waits, and finds them made.
      const index = (await find()) ?? (await alone(async () => (await find()) ?? rebuild(edition)));
      if (index === null)
        throw new Error(`the tables of version ${edition.id} were removed while they were made; try again`);
      return {
        catalogue: await openPostgresCatalogue({ database, schema, version: edition, index }),
        shared: null,
        about: `${index.items} items, index in PostgreSQL`,
        close: async () => {},
      };
    },

    async tidy(served) {
      // The version before stays for those who still read it.
      for (const number of await versionsWithTables(db, schema))
        if (number < served.number - 1) await dropTables(db, schema, number);
    },

    distrust: (edition) => dropTables(db, schema, edition.number),
  };
}
