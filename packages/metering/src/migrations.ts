import type { MigrationSource } from "@triptych/storage";

export const meteringMigrations: MigrationSource = {
  component: "metering",
  directory: new URL("../migrations/", import.meta.url),
};

/**
 * Engine-specific data that a copy omits: short-lived rows in PostgreSQL, row order and sum marks in SQLite. Update
 * the sums before a copy: without a mark, all rows count as summed.
 */
export const meteringNotCopied: readonly string[] = [
  "usage_window",
  "usage_reservation",
  "usage_mark",
  "usage_row.number",
];
