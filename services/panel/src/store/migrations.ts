import type { MigrationSource } from "@triptych/storage";

export const PANEL_SCHEMA = "panel";
export const PANEL_MIGRATIONS: readonly MigrationSource[] = [
  { component: "panel", directory: new URL("../../migrations/", import.meta.url) },
];
