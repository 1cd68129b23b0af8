/** Whether a service has a store at an address. Creates nothing. */
import { existsSync } from "node:fs";
import { hasMigrationTable } from "../migrations/migrate.ts";
import { openPostgres } from "../postgres/open-postgres.ts";
import { parseUrl } from "../url.ts";
import type { StoreAddress } from "./transfer-store.ts";

export async function holdsStore({ url, schema }: StoreAddress): Promise<boolean> {
  const parsed = parseUrl(url);
  if (parsed.engine === "sqlite") return existsSync(parsed.path);
  await using database = await openPostgres({ url, schema, readOnly: true });
  return await hasMigrationTable(database, schema);
}
