/** Migrations of the directory's tables and of metering. */
import { meteringMigrations, type MeteringTables } from "@triptych/metering";
import type { MigrationSource } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

export type StoreTables = DirectoryTables & MeteringTables;

export const DIRECTORY_SCHEMA = "directory";
export const DIRECTORY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "directory", directory: new URL("../../migrations/", import.meta.url) },
  meteringMigrations,
];
