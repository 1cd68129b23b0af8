import type { Kysely } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

/** Larger files are not suitable for a map of the country. */
export const BOUNDARY_BYTES_MAX = 32 << 20;

/** The text, or null if none is installed. */
export async function readOutlines(db: Kysely<DirectoryTables>): Promise<string | null> {
  const row = await db.selectFrom("outlines").select("geojson").where("id", "=", 1).executeTakeFirst();
  return row?.geojson ?? null;
}

export async function installOutlines(db: Kysely<DirectoryTables>, geojson: string, at: number): Promise<void> {
  await db
    .insertInto("outlines")
    .values({ id: 1, geojson, installed_at: at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ geojson, installed_at: at }))
    .execute();
}
