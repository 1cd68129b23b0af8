/** The only place in the store that distinguishes engines. */
import type { Database, Kysely } from "@triptych/storage";
import type { BatchOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post-entry.ts";
import type { AuditReads } from "./audit-reads.ts";
import * as postgresAudit from "./postgres-audit.ts";
import * as postgres from "./postgres.ts";
import * as sqliteAudit from "./sqlite-audit.ts";
import * as sqlite from "./sqlite.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

export interface Engine {
  readonly database: Database<RailTables>;
  applyBatches(batches: readonly GatewayBatch[], context: Context): Promise<readonly BatchOutcome[]>;
  /** In the audit's snapshot. */
  auditReads(tx: Kysely<RailTables>): Promise<AuditReads>;
  /** Returns false while another process sweeps. */
  takesSweep(tx: Tx): Promise<boolean>;
}

export function engineOf(database: Database<RailTables>): Engine {
  const { procedures } = database;
  if (procedures === null) {
    return {
      database,
      takesSweep: postgres.takesSweep,
      auditReads: postgresAudit.auditReads,
      applyBatches: (batches, context) => postgres.applyBatches(database, batches, context),
    };
  }
  return {
    database,
    takesSweep: () => Promise.resolve(true),
    auditReads: (tx) => Promise.resolve(sqliteAudit.auditReads(tx)),
    applyBatches: (batches, context) => sqlite.applyBatches(procedures, batches, context),
  };
}
