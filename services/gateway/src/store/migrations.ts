import { windowMigrations, windowTables } from "@triptych/rate-limit";
import { createServiceStore, type MigrationSource } from "@triptych/storage";
import type { GatewayTables } from "./tables.ts";

export const GATEWAY_SCHEMA = "gateway";
export const GATEWAY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "gateway", directory: new URL("../../migrations/", import.meta.url) },
  windowMigrations,
];

export const gatewayStore = createServiceStore<GatewayTables>({
  name: GATEWAY_SCHEMA,
  migrations: GATEWAY_MIGRATIONS,
  transient: windowTables,
});
