/** The tables and functions of metering, for `openDatabase` of any service that meters. */
import type { MigrationSource } from "@triptych/storage";

export const meteringMigrations: MigrationSource = {
  component: "metering",
  directory: new URL("../migrations/", import.meta.url),
};

/** What only PostgreSQL holds, and what a copy of a store leaves behind: it lives for a minute. */
export const meteringTransientTables: readonly string[] = ["usage_window", "usage_reservation"];
