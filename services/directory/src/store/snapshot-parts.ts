/**
 * Snapshots in the store, in parts of 1 MiB, for nodes that share no folder with the publisher. Complete before
 * publication; verified like any other file when opened.
 */
import { createReadStream } from "node:fs";
import type { Database } from "@triptych/storage";
import type { SnapshotFiles } from "./snapshot-files.ts";
import type { DirectoryTables } from "./tables.ts";

const PART_BYTES = 1 << 20;

export interface SnapshotParts {
  store(path: string, versionId: string): Promise<void>;
  /** Installs the stored bytes as the version's file; false if there are none. */
  fetch(versionId: string): Promise<boolean>;
  drop(versionId: string): Promise<void>;
}

export const noSnapshotParts: SnapshotParts = {
  store: async () => {},
  fetch: async () => false,
  drop: async () => {},
};

export function storedSnapshotParts({ db }: Database<DirectoryTables>, files: SnapshotFiles): SnapshotParts {
  const drop = async (versionId: string) => {
    await db.deleteFrom("snapshot_part").where("version_id", "=", versionId).execute();
  };
  return {
    drop,

    async store(path, versionId) {
      await drop(versionId);
      let part = 0;
      for await (const bytes of createReadStream(path, { highWaterMark: PART_BYTES }) as AsyncIterable<Buffer>) {
        await db.insertInto("snapshot_part").values({ version_id: versionId, part: part++, bytes }).execute();
      }
    },

    async fetch(versionId) {
      const { path, result: parts } = await files.write(async (sink) => {
        for (let part = 0; ; part++) {
          const row = await db
            .selectFrom("snapshot_part")
            .select("bytes")
            .where("version_id", "=", versionId)
            .where("part", "=", part)
            .executeTakeFirst();
          if (row === undefined) return part;
          await sink.append(row.bytes);
        }
      });
      if (parts === 0) await files.removePassing(path);
      else await files.install(path, versionId);
      return parts > 0;
    },
  };
}
