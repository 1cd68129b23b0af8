/** Billing operations that each engine implements. This is the only place where metering distinguishes engines. */
import type { Database } from "@triptych/storage";
import * as postgres from "./postgres.ts";
import * as sqlite from "./sqlite.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

export interface EngineVerbs {
  append(row: StoredUsageRow): Promise<void>;
  closeDay(day: string, at: number): Promise<void>;
}

export function engineOf(database: Database<MeteringTables>): EngineVerbs {
  if (database.engine === "sqlite") {
    return {
      append: (row) => sqlite.appendRows(database, [row]),
      closeDay: (day, at) => sqlite.closeDay(database, day, at),
    };
  }
  return {
    append: (row) => postgres.settle(database, { row, tiers: [], now: row.at }),
    closeDay: (day, at) => postgres.closeDay(database, day, at),
  };
}
