/** The tables and functions of metering, for `openDatabase` of any service that meters. */
import type { MigrationSource } from "@triptych/storage";

export const meteringMigrations: MigrationSource = {
  component: "metering",
  directory: new URL("../migrations/", import.meta.url),
};
