import { windowMigrations, windowTables } from "@triptych/rate-limit";
import type { MigrationSource } from "@triptych/storage";

export const GATEWAY_SCHEMA = "gateway";
export const GATEWAY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "gateway", directory: new URL("../../migrations/", import.meta.url) },
  windowMigrations,
];

/** Tables that a copy skips. */
export const GATEWAY_TRANSIENT_TABLES = windowTables;
