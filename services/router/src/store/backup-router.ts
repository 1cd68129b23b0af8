/**
 * Backs up the rows, then the files of trained heads that they reference. A file is written before its row and never
 * changes.
 */
import type { Database, StoreBackup, StoreCheck, StoreLocation } from "@triptych/storage";
import { createHash } from "node:crypto";
import { routerStore } from "./migrations.ts";
import { filesOf } from "./open-store.ts";
import type { RouterTables } from "./tables.ts";

export async function backupRouter(backup: StoreBackup): Promise<void> {
  await routerStore.backup(backup);
  const target: StoreLocation = { dataFolder: backup.to, databaseUrl: undefined };
  await using copied = await routerStore.open(target, { readOnly: true });
  await using source = await routerStore.open(backup.from, { readOnly: true });
  const [from, to] = [filesOf(backup.from, source), filesOf(target, copied)];
  for (const key of await namedFiles(copied)) {
    const bytes = await from.get(key);
    if (bytes !== null) await to.write(key, bytes);
  }
}

export async function checkRouter(location: StoreLocation): Promise<StoreCheck> {
  await using database = await routerStore.open(location, { readOnly: true });
  const files = filesOf(location, database);
  const issues: string[] = [];
  const keys = await namedFiles(database);
  for (const key of keys) {
    const bytes = await files.get(key);
    const isWhole = bytes !== null && createHash("sha256").update(bytes).digest("hex") === key.sha256;
    if (!isWhole) issues.push(`The file of head ${key.headId} is ${bytes === null ? "missing" : "damaged"}.`);
  }
  const count = database.db.selectFrom("feedback").select(({ fn }) => fn.countAll<number>().as("rows"));
  const { rows } = await count.executeTakeFirstOrThrow();
  return { facts: { head_files: keys.length, feedback: rows }, issues };
}

async function namedFiles({ db }: Database<RouterTables>) {
  const rows = await db.selectFrom("head").select(["id", "sha256"]).where("sha256", "is not", null).execute();
  return rows.flatMap(({ id, sha256 }) => (sha256 === null ? [] : [{ headId: id, sha256 }]));
}
