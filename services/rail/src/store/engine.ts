/** The one place where the ledger's store asks which engine it has: what each says in its own words. */
import type { Database, Kysely } from "@triptych/storage";
import type { BatchOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post.ts";
import type { ReadChained } from "./chained-pages.ts";
import * as postgres from "./postgres.ts";
import * as sqlite from "./sqlite.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

export interface Engine {
  readonly database: Database<RailTables>;
  applyBatches(batches: readonly GatewayBatch[], context: Context): Promise<readonly BatchOutcome[]>;
  /** For an audit, in its snapshot. */
  readChained(db: Kysely<RailTables>): ReadChained;
  /** False while another process sweeps. */
  takesSweep(tx: Tx): Promise<boolean>;
}

export function engineOf(database: Database<RailTables>): Engine {
  const { procedures } = database;
  if (procedures === null) {
    return {
      database,
      takesSweep: postgres.takesSweep,
      readChained: postgres.readChained,
      applyBatches: (batches, context) => postgres.applyBatches(database, batches, context),
    };
  }
  return {
    database,
    takesSweep: () => Promise.resolve(true),
    readChained: sqlite.readChained,
    applyBatches: (batches, context) => sqlite.applyBatches(procedures, batches, context),
  };
}
