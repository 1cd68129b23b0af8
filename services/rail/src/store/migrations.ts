import { windowMigrations, windowTables } from "@triptych/rate-limit";
import { createServiceStore, type MigrationSource } from "@triptych/storage";
import type { RailTables } from "./tables.ts";

export const RAIL_SCHEMA = "rail";
export const RAIL_MIGRATIONS: readonly MigrationSource[] = [
  { component: "rail", directory: new URL("../../migrations/", import.meta.url) },
  windowMigrations,
];

/** Tables that a copy omits. */
export const RAIL_TRANSIENT_TABLES = windowTables;

export const railStore = createServiceStore<RailTables>({
  name: RAIL_SCHEMA,
  migrations: RAIL_MIGRATIONS,
  transient: RAIL_TRANSIENT_TABLES,
  isExclusive: true,
});
