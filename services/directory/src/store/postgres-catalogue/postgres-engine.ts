/** Engine (b) as the directory serves it: tables are built with the staged version, or by the first that opens one without them. */
import type { Database } from "@triptych/storage";
import type { Editions } from "../../domain/editions.ts";
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
      let index = await readIndexEdition(db, schema, wanted);
      if (index === null) {
        const { contentHash } = await build(edition.number);
        report({ version: edition.id, what: "rebuilt" });
        if (contentHash !== edition.contentHash)
          report({
            version: edition.id,
            what: "differs",
            reason: "the rows of this version no longer give the content that was published",
          });
        index = await readIndexEdition(db, schema, { ...wanted, contentHash });
      }
      if (index === null)
        throw new Error(`the tables of version ${edition.id} were removed while they were made; try again`);
      return {
        catalogue: openPostgresCatalogue({ database, schema, version: edition, index }),
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
