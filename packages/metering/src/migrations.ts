/** The tables and functions of metering, for `openDatabase` of any service that meters. */
import type { MigrationSource } from "@triptych/storage";

export const meteringMigrations: MigrationSource = {
  component: "metering",
  directory: new URL("../migrations/", import.meta.url),
};

/**
 * What only one engine has, and what a copy of a store leaves behind: in PostgreSQL what lives for a minute, in SQLite the order of rows
 * and how far the sums have come. Whoever copies brings the sums up to date first: without a mark all rows are in them.
 */
export const meteringNotCopied: readonly string[] = [
  "usage_window",
  "usage_reservation",
  "usage_mark",
  "usage_row.number",
];
