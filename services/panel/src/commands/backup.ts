/** Where the blobs of a backup come from, and where those of a restored folder go. */
import { readConfig, type Environment } from "@triptych/config";
import type { StoreBackup } from "@triptych/storage";
import { Type } from "typebox";
import { blobVariable, configuredBlobs } from "../blobs/configured-blobs.ts";
import { BLOB_VARIABLES } from "../config.ts";
import { backupPanel, storeBlobs } from "../store/backup-panel.ts";
import { blobsIn } from "../store/store-location.ts";

const BlobVariables = Type.Object(BLOB_VARIABLES);

export interface BackupOptions extends StoreBackup {
  readonly environment: Environment;
  /** Whether blobs outside the data folder and the database are copied too. */
  readonly copiesBlobs: boolean;
}

/** Returns a note for the operator if the backup leaves blobs out. */
export async function backupStore({ environment, copiesBlobs, ...backup }: BackupOptions): Promise<string | null> {
  const config = readConfig(BlobVariables, environment);
  const variable = blobVariable(config);
  const isCopied = variable === null || copiesBlobs;
  // Opened first: an unusable storage is reported before anything is copied.
  const configured = isCopied ? await configuredBlobs(config) : null;
  const blobs = isCopied
    ? async (...[database]: Parameters<NonNullable<Parameters<typeof backupPanel>[0]["blobs"]>>) =>
        configured ?? (await blobsIn(backup.from, database))
    : null;
  const missing = await backupPanel({ ...backup, blobs });
  if (missing > 0) return `${missing} bundles or artifacts are missing in the storage; the backup has the others.`;
  return isCopied ? null : `Bundles and artifacts stay where ${variable} says; --blobs copies them.`;
}

/** Stores the blobs of a restored folder where this environment expects them. */
export async function storeRestoredBlobs(dataFolder: string, environment: Environment): Promise<void> {
  const blobs = await configuredBlobs(readConfig(BlobVariables, environment));
  if (blobs !== null) await storeBlobs(dataFolder, blobs);
}
