/** Rows, then the blobs that they name: a blob is stored before its row. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Database, sql, type StoreBackup, type StoreCheck, type StoreLocation } from "@triptych/storage";
import type { Blobs } from "../domain/delivery-repositories.ts";
import { namedBlobs } from "./copy-blobs.ts";
import { panelStore } from "./open-store.ts";
import { blobFolder, blobsIn } from "./store-location.ts";
import type { PanelTables } from "./tables.ts";

export interface PanelBackup extends StoreBackup {
  /** Null leaves the blobs where they are: in a folder or bucket that has its own backup. */
  readonly blobs: ((database: Database<PanelTables>) => Promise<Blobs>) | null;
}

/** Returns how many blobs are missing at the source. */
export async function backupPanel(backup: PanelBackup): Promise<number> {
  await panelStore.backup(backup);
  if (backup.blobs === null) return 0;
  await using copied = await panelStore.open({ dataFolder: backup.to, databaseUrl: undefined }, { readOnly: true });
  await using source = await panelStore.open(backup.from, { readOnly: true });
  const blobs = await backup.blobs(source);
  const folder = blobFolder(backup.to);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = [...(await namedBlobs(copied))];
  let missing = 0;
  for (const [index, sha256] of names.entries()) {
    const isCopied = await blobs.withFile(sha256, async (path) => {
      const draft = join(folder, `${sha256}.draft`);
      await copyFile(path, draft);
      await rename(draft, join(folder, sha256));
      return true;
    });
    if (isCopied === null) missing++;
    backup.onProgress({ table: "blobs", copied: index + 1, total: names.length });
  }
  return missing;
}

/** Runs, their events and the blobs of the data folder. Blobs that another storage has are counted as elsewhere. */
export async function checkPanel(location: StoreLocation): Promise<StoreCheck> {
  await using database = await panelStore.open(location, { readOnly: true });
  const { rows } = await sql<{ runs: number; events: number }>`
    select count(*) as runs, cast(coalesce(sum(last_seq), 0) as bigint) as events from run`.execute(database.db);
  const [{ runs, events } = { runs: 0, events: 0 }] = rows;
  const facts = { runs, events };
  const issues = await eventGaps(database);
  const blobs = await blobsIn(location, database);
  let present = 0;
  const names = await namedBlobs(database);
  for (const sha256 of names) {
    const found = await blobs.withFile(sha256, digestOf);
    if (found === null) continue;
    present++;
    if (found !== sha256) issues.push(`The blob ${sha256} is damaged.`);
  }
  return { facts: { ...facts, blobs: present, blobs_elsewhere: names.size - present }, issues };
}

/** Runs whose events are not complete. Retention removes all events of a run at once. */
async function eventGaps({ db }: Database<PanelTables>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select run.id from run join bus_chunk as chunk on chunk.owner = run.owner and chunk.run_id = run.id
    group by run.owner, run.id, run.last_seq
    having sum(chunk.last_seq - chunk.first_seq + 1) <> run.last_seq or max(chunk.last_seq) <> run.last_seq`.execute(
    db,
  );
  return rows.map(({ id }) => `Run ${id}: its events are not complete.`);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Stores the blobs of a restored folder where the panel reads them. */
export async function storeBlobs(dataFolder: string, blobs: Blobs): Promise<number> {
  const folder = blobFolder(dataFolder);
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{64}$/.test(name));
  for (const sha256 of names) {
    const draft = join(folder, `${sha256}.draft`);
    await copyFile(join(folder, sha256), draft);
    await using file = await open(draft, "r");
    await file.sync();
    await blobs.keep(draft, sha256);
  }
  return names.length;
}
