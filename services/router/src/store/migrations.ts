import type { MigrationSource } from "@triptych/storage";

export const ROUTER_SCHEMA = "router";
export const ROUTER_MIGRATIONS: readonly MigrationSource[] = [
  { component: "router", directory: new URL("../../migrations/", import.meta.url) },
];
