import type { ApiKeyTables } from "@triptych/api-keys";
import { meteringMigrations, type MeteringTables } from "@triptych/usage-metering";
import type { MigrationSource } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

export type StoreTables = DirectoryTables & MeteringTables & ApiKeyTables;

export const DIRECTORY_SCHEMA = "directory";
export const DIRECTORY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "directory", directory: new URL("../../migrations/", import.meta.url) },
  meteringMigrations,
];
