/** The PostgreSQL engine. Tables are built with the staged version, or when a version without tables is opened. */
import { sql, type Database } from "@triptych/storage";
import type { PublishedVersion, PublishedVersions } from "../../domain/published-versions.ts";
import { differs, type SnapshotEvent } from "../memory-engine.ts";
import type { ServingEngine } from "../catalogue-engine.ts";
import type { DirectoryTables } from "../tables.ts";
import { buildTables } from "./build-tables.ts";
import { dropTables, prepareIndexSchema, readIndexVersion, versionsWithTables } from "./index-tables.ts";
import { openPostgresCatalogue } from "./postgres-catalogue.ts";

export interface PostgresEngineOptions {
  readonly database: Database<DirectoryTables>;
  /** Schema of the service; the index schema is separate. */
  readonly schema: string;
  readonly versions: PublishedVersions;
  readonly report: (event: SnapshotEvent) => void;
}

export function createPostgresEngine({ database, schema, versions, report }: PostgresEngineOptions): ServingEngine {
  const { db } = database;
  const build = async (version: number) =>
    buildTables(db, schema, {
      version,
      items: () => versions.items(version),
      tagLabels: await versions.labels(version),
    });

  const rebuild = async (version: PublishedVersion) => {
    const { contentHash } = await build(version.number);
    report({ version: version.id, what: "rebuilt" });
    if (contentHash !== version.contentHash) report(differs(version));
    return readIndexVersion(db, schema, { version: version.number, contentHash });
  };

  /** Runs `work` under an advisory lock on a dedicated connection. */
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

    async open(version) {
      await prepareIndexSchema(db, schema);
      const expected = { version: version.number, contentHash: version.contentHash };
      const find = () => readIndexVersion(db, schema, expected);
      // Nodes that start together must not build the same tables: the second waits and then finds them.
      const index = (await find()) ?? (await alone(async () => (await find()) ?? rebuild(version)));
      if (index === null)
        throw new Error(`the index tables of version ${version.id} were removed while being built; try again`);
      return {
        catalogue: openPostgresCatalogue({ database, schema, version, index }),
        shared: null,
        about: `${index.items} items, index in PostgreSQL`,
        close: async () => {},
      };
    },

    async cleanUp(served) {
      // The previous version stays for its current readers.
      for (const number of await versionsWithTables(db, schema))
        if (number < served.number - 1) await dropTables(db, schema, number);
    },

    distrust: (version) => dropTables(db, schema, version.number),
  };
}
