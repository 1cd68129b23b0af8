import { createHash, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Blobs } from "../domain/blobs.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { DeliveryTools } from "./check-policy.ts";

interface Keeping {
  readonly store: PanelStore;
  readonly blobs: Blobs;
  readonly folder: string;
}

export function keepDiffIn({ store, blobs, folder }: Keeping): DeliveryTools["keepDiff"] {
  return async (owner, run, diff) => {
    const upload = await store.of(owner).uploads.delivery(run.id, run.epoch);
    if (upload === null) return;
    const diffSha256 = createHash("sha256").update(diff).digest("hex");
    // Unique: two epochs may be checked concurrently.
    const path = join(folder, `${run.id}-${randomUUID()}.diff`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, diff, { mode: 0o600 });
    await blobs.keep(path, diffSha256);
    await store.change(owner, ({ uploads }) =>
      uploads.keepDiff({ runId: run.id, epoch: run.epoch, sha256: upload.sha256, diffSha256 }),
    );
  };
}
