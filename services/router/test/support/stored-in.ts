/** A head store in a folder, as on an appliance. */
import { join } from "node:path";
import { openDatabase } from "@triptych/storage";
import { filesInFolder } from "../../src/store/head-files.ts";
import { ROUTER_MIGRATIONS, ROUTER_SCHEMA } from "../../src/store/migrations.ts";
import { storeFile } from "../../src/store/open-store.ts";
import type { RouterTables } from "../../src/store/tables.ts";

export async function openStorage(folder: string) {
  const location = { url: `sqlite:${storeFile(folder)}`, schema: ROUTER_SCHEMA, migrations: ROUTER_MIGRATIONS };
  return { database: await openDatabase<RouterTables>(location), files: filesInFolder(join(folder, "heads")) };
}
