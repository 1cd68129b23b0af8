/** What the directory's store is made of: its own tables and those of metering. */
import { meteringMigrations, type MeteringTables } from "@triptych/metering";
import type { MigrationSource } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

export type StoreTables = DirectoryTables & MeteringTables;

export const DIRECTORY_SCHEMA = "directory";
export const EDITION_MIGRATIONS: MigrationSource = {
  component: "directory",
  directory: new URL("../../migrations/", import.meta.url),
};
export const STORE_MIGRATIONS: readonly MigrationSource[] = [EDITION_MIGRATIONS, meteringMigrations];
