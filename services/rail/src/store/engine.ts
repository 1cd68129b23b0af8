/** The one place where the ledger's store asks which engine it has: what each says in its own words. */
import type { Database } from "@triptych/storage";
import { applyBatch, type BatchOutcome, type GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post.ts";
import { commit } from "./commit.ts";
import * as postgres from "./postgres.ts";
import { loadBatches } from "./sqlite.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

export interface Engine {
  readonly database: Database<RailTables>;
  applyBatches(batches: readonly GatewayBatch[], context: Context): Promise<readonly BatchOutcome[]>;
  /** False while another process sweeps. */
  takesSweep(tx: Tx): Promise<boolean>;
}

export function engineOf(database: Database<RailTables>): Engine {
  if (database.engine === "postgres") {
    return {
      database,
      takesSweep: postgres.takesSweep,
      applyBatches: (batches, context) => postgres.applyBatches(database, batches, context),
    };
  }
  return {
    database,
    takesSweep: () => Promise.resolve(true),
    applyBatches: (batches, context) =>
      commit(database, {
        now: context.now,
        load: (tx) => loadBatches(tx, batches, context.now),
        work: (book) => batches.map((batch) => applyBatch(book, batch, context)),
      }),
  };
}
