import { windowMigrations, windowTables } from "@triptych/rate-limit";
import { createServiceStore, type MigrationSource, type StoreCheck, type StoreLocation } from "@triptych/storage";

export interface GatewayTables {
  answer: { name: string; res: string; sealed: string; ends_at: number };
}

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

export async function checkStore(location: StoreLocation): Promise<StoreCheck> {
  await using database = await gatewayStore.open(location, { readOnly: true });
  const count = database.db.selectFrom("answer").select(({ fn }) => fn.countAll<number>().as("rows"));
  return { facts: { responses: (await count.executeTakeFirstOrThrow()).rows }, issues: [] };
}
