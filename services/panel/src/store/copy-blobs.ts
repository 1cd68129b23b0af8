/**
 * Copies blobs before the rows that reference them, so that an interrupted copy leaves unused blobs and never a row without its blob. Blobs
 * in the operator's folder (`PANEL_BLOB_DIR`) are not copied.
 */
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Database, StoreLocation } from "@triptych/storage";
import { panelStore } from "./open-store.ts";
import { blobsIn } from "./store-location.ts";
import type { PanelTables } from "./tables.ts";

export async function copyBlobs(
  from: StoreLocation,
  to: StoreLocation,
  onCopied: (copied: number) => void,
): Promise<number> {
  await using source = await panelStore.open(from, { readOnly: true });
  await using target = await panelStore.open(to);
  const [theirs, ours] = [await blobsIn(from, source), await blobsIn(to, target)];
  const passing = join(resolve(from.databaseUrl === undefined ? from.dataFolder : to.dataFolder), "panel", "copying");
  await mkdir(passing, { recursive: true, mode: 0o700 });
  let copied = 0;
  try {
    for (const sha256 of await namedBlobs(source)) {
      const isCopied = await theirs.withFile(sha256, async (path) => {
        // `keep` may move the file away.
        const own = join(passing, sha256);
        await copyFile(path, own);
        await ours.keep(own, sha256);
        await rm(own, { force: true });
        return true;
      });
      if (isCopied === true) onCopied(++copied);
    }
  } finally {
    await rm(passing, { recursive: true, force: true });
  }
  return copied;
}

export async function namedBlobs({ db }: Database<PanelTables>): Promise<ReadonlySet<string>> {
  const deliveries = await db.selectFrom("delivery").select(["sha256", "diff_sha256"]).execute();
  const artifacts = await db.selectFrom("artifact").select(["sha256", "kept_sha256"]).execute();
  const names = deliveries.flatMap(({ sha256, diff_sha256 }) => [sha256, diff_sha256]);
  return new Set(
    [...names, ...artifacts.map((artifact) => artifact.kept_sha256 ?? artifact.sha256)].filter((name) => name !== null),
  );
}
