/** What the directory's store is made of. */
import type { MigrationSource } from "@triptych/storage";

export const DIRECTORY_SCHEMA = "directory";
export const DIRECTORY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "directory", directory: new URL("../../migrations/", import.meta.url) },
];
