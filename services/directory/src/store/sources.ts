/** The sources of the published items. */
import type { Database } from "@triptych/storage";
import { visibleIn, type DirectoryTables } from "./tables.ts";

export interface PublishedSource {
  readonly name: string;
  readonly items: number;
}

/** The largest first. */
export async function publishedSources({ db }: Database<DirectoryTables>, version: number): Promise<PublishedSource[]> {
  const rows = await db
    .selectFrom("item")
    .select(({ fn }) => ["source_name as name", fn.countAll<number>().as("items")])
    .where(visibleIn(version))
    .groupBy("source_name")
    .execute();
  return rows.sort((a, b) => b.items - a.items);
}
