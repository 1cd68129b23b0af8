/** A head store in a folder, as on an appliance. */
import { join } from "node:path";
import { filesInFolder } from "../../src/store/head-files.ts";
import { routerStore } from "../../src/store/migrations.ts";

export async function openStorage(folder: string) {
  const database = await routerStore.open({ dataFolder: folder, databaseUrl: undefined });
  return { database, files: filesInFolder(join(folder, "heads")) };
}
