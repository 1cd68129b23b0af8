/** Where the blobs of a backup come from, and where those of a restored folder go. */
import { readConfig } from "@triptych/server";
import type { StoreBackup } from "@triptych/storage";
import { Type } from "typebox";
import { fileBlobs } from "../blobs/file-blobs.ts";
import { PanelConfig } from "../config.ts";
import { backupPanel, storeBlobs } from "../store/backup-panel.ts";
import { blobsIn } from "../store/store-location.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const BlobConfig = Type.Pick(PanelConfig, ["PANEL_BLOB_DIR"]);

export interface BackupOptions extends StoreBackup {
  readonly environment: Environment;
  /** Whether blobs outside the data folder and the database are copied too. */
  readonly copiesBlobs: boolean;
}

/** Returns a note for the operator where the backup leaves blobs out. */
export async function backupStore({ environment, copiesBlobs, ...backup }: BackupOptions): Promise<string | null> {
  const folder = readConfig(BlobConfig, environment).PANEL_BLOB_DIR;
  const isElsewhere = folder !== undefined;
  await backupPanel({
    ...backup,
    blobs:
      isElsewhere && !copiesBlobs
        ? null
        : (database) => (isElsewhere ? fileBlobs(folder) : blobsIn(backup.from, database)),
  });
  return isElsewhere && !copiesBlobs ? `Bundles and artifacts stay in PANEL_BLOB_DIR; --blobs copies them.` : null;
}

/** Stores the blobs of a restored folder where this environment expects them. */
export async function storeRestoredBlobs(dataFolder: string, environment: Environment): Promise<void> {
  const folder = readConfig(BlobConfig, environment).PANEL_BLOB_DIR;
  if (folder !== undefined) await storeBlobs(dataFolder, await fileBlobs(folder));
}
