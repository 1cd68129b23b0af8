import { windowMigrations, windowTables } from "@triptych/rate-limit";
import type { MigrationSource } from "@triptych/storage";

export const RAIL_SCHEMA = "rail";
export const RAIL_MIGRATIONS: readonly MigrationSource[] = [
  { component: "rail", directory: new URL("../../migrations/", import.meta.url) },
  windowMigrations,
];

/** Tables that a copy omits. */
export const RAIL_TRANSIENT_TABLES = windowTables;
