/** Blobs in the database, in chunks, for several nodes without a shared disk. */
import { open, mkdtemp, rm } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Database } from "@triptych/storage";
import type { Blobs } from "../domain/delivery-repositories.ts";
import type { PanelTables } from "./tables.ts";

const PIECE_BYTES = 1024 * 1024;
const SWEEP_BATCH_SIZE = 500;

export function tableBlobs(
  { db, transaction }: Pick<Database<PanelTables>, "db" | "transaction">,
  now: () => number,
): Blobs {
  const isStored = async (sha256: string) =>
    (await db.selectFrom("blob").select("place").where("sha256", "=", sha256).limit(1).executeTakeFirst()) !==
    undefined;
  return {
    async keep(path, sha256) {
      await using file = await open(path, "r");
      await transaction(async (tx) => {
        const at = now();
        // The first chunk carries the time: storing the same bytes again refreshes it, so that a sweep skips them.
        const query = tx.updateTable("blob").set({ at }).where("sha256", "=", sha256).where("place", "=", 0);
        if ((await query.returning("place").executeTakeFirst()) !== undefined) return;
        for (let index = 0; ; index++) {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, index * PIECE_BYTES);
          if (bytesRead === 0 && index > 0) return;
          const content = new Uint8Array(buffer.subarray(0, bytesRead));
          await tx.insertInto("blob").values({ sha256, place: index, content, at }).execute();
          if (bytesRead < PIECE_BYTES) return;
        }
      });
    },
    async read(sha256) {
      return (await isStored(sha256)) ? Readable.from(pieces(sha256)) : null;
    },
    async withFile(sha256, work) {
      if (!(await isStored(sha256))) return null;
      const folder = await mkdtemp(join(tmpdir(), "panel-blob-"));
      try {
        const path = join(folder, sha256);
        await pipeline(pieces(sha256), createWriteStream(path, { mode: 0o600 }));
        return await work(path);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async sweep(storedBefore, isNeeded) {
      const old = db.selectFrom("blob").select("sha256").where("place", "=", 0).where("at", "<", storedBefore);
      let swept = 0;
      for (const { sha256 } of await old.orderBy("at").limit(SWEEP_BATCH_SIZE).execute()) {
        if (await isNeeded(sha256)) continue;
        // Checks the age again: the blob may have been stored again in between.
        const isGone = await transaction(async (tx) => {
          const first = tx.deleteFrom("blob").where("sha256", "=", sha256).where("place", "=", 0);
          const gone = await first.where("at", "<", storedBefore).returning("place").executeTakeFirst();
          if (gone !== undefined) await tx.deleteFrom("blob").where("sha256", "=", sha256).execute();
          return gone !== undefined;
        });
        if (isGone) swept++;
      }
      return swept;
    },
  };

  async function* pieces(sha256: string): AsyncGenerator<Uint8Array> {
    for (let index = 0; ; index++) {
      const query = db.selectFrom("blob").select("content").where("sha256", "=", sha256).where("place", "=", index);
      const row = await query.executeTakeFirst();
      if (row === undefined) return;
      yield row.content;
    }
  }
}
