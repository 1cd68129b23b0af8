import { createServiceStore, type MigrationSource } from "@triptych/storage";
import type { RouterTables } from "./tables.ts";

export const ROUTER_SCHEMA = "router";
export const ROUTER_MIGRATIONS: readonly MigrationSource[] = [
  { component: "router", directory: new URL("../../migrations/", import.meta.url) },
];

export const routerStore = createServiceStore<RouterTables>({
  name: ROUTER_SCHEMA,
  migrations: ROUTER_MIGRATIONS,
  // Copied as files, because only PostgreSQL stores them in rows.
  transient: ["head_file"],
});
