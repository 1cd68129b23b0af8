/** Head files: in a folder with SQLite, in rows with PostgreSQL, which several routers can share. */
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@triptych/storage";
import type { HeadFileKey, HeadFiles } from "../domain/heads/head-store.ts";
import type { RouterTables } from "./tables.ts";

export function filesInFolder(folder: string): HeadFiles {
  const pathOf = ({ headId, sha256 }: HeadFileKey) => join(folder, `${headId}-${sha256}.tphd`);
  return {
    async write(key, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(key);
      const draft = `${path}.draft`;
      await using file = await open(draft, "w", 0o600);
      await file.writeFile(bytes);
      await file.sync();
      await rename(draft, path);
      // Sync the folder, or a power failure could lose the file name after the response.
      await using names = await open(folder, "r");
      await names.sync();
    },
    async get(key) {
      try {
        return new Uint8Array(await readFile(pathOf(key)));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw error;
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}

export function filesInRows({ db }: Database<RouterTables>): HeadFiles {
  return {
    async write({ headId, sha256 }, bytes) {
      await db
        .insertInto("head_file")
        .values({ head_id: headId, sha256, bytes })
        .onConflict((conflict) => conflict.columns(["head_id", "sha256"]).doNothing())
        .execute();
    },
    async get({ headId, sha256 }) {
      const row = await db
        .selectFrom("head_file")
        .select("bytes")
        .where("head_id", "=", headId)
        .where("sha256", "=", sha256)
        .executeTakeFirst();
      return row?.bytes ?? null;
    },
    async remove({ headId, sha256 }) {
      await db.deleteFrom("head_file").where("head_id", "=", headId).where("sha256", "=", sha256).execute();
    },
  };
}
