import type { ApiKeyTables } from "@triptych/api-keys";
import { meteringMigrations, meteringNotCopied, type MeteringTables } from "@triptych/usage-metering";
import { createServiceStore, type MigrationSource } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

export type StoreTables = DirectoryTables & MeteringTables & ApiKeyTables;

export const DIRECTORY_SCHEMA = "directory";
export const DIRECTORY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "directory", directory: new URL("../../migrations/", import.meta.url) },
  meteringMigrations,
];

export const directoryStore = createServiceStore<StoreTables>({
  name: DIRECTORY_SCHEMA,
  migrations: DIRECTORY_MIGRATIONS,
  // Rebuilt by the service: snapshots from items, admissions from rows.
  transient: ["snapshot_part", ...meteringNotCopied],
  isExclusive: true,
});
