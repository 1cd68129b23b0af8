/** Finds what became of an item's address, in stored versions and in the slugs that removed versions left behind. */
import type { ItemType } from "@triptych/contracts";
import type { Kysely } from "@triptych/storage";
import type { FindFormerAddress } from "../domain/changes.ts";
import type { Owner } from "../domain/published-versions.ts";
import { visibleIn, type DirectoryTables } from "./tables.ts";

export function createFormerAddresses(db: Kysely<DirectoryTables>): FindFormerAddress {
  return async ({ type, slug }, version) => {
    const owner = (await lastOwner(db, type, slug)) ?? (await retiredOwner(db, type, slug));
    if (owner === null) return null;
    const to = await db
      .selectFrom("item")
      .select(["type", "slug"])
      .where("source_name", "=", owner.sourceName)
      .where("source_id", "=", owner.sourceId)
      .where(visibleIn(version))
      .executeTakeFirst();
    return to === undefined ? { state: "gone" } : { state: "moved", to };
  };
}

async function lastOwner(db: Kysely<DirectoryTables>, type: ItemType, slug: string): Promise<Owner | null> {
  const row = await db
    .selectFrom("item")
    .select(["source_name", "source_id"])
    .where("type", "=", type)
    .where("slug", "=", slug)
    .orderBy("from_version", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { sourceName: row.source_name, sourceId: row.source_id };
}

async function retiredOwner(db: Kysely<DirectoryTables>, type: ItemType, slug: string): Promise<Owner | null> {
  const row = await db
    .selectFrom("retired_slug")
    .select(["source_name", "source_id"])
    .where("type", "=", type)
    .where("slug", "=", slug)
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { sourceName: row.source_name, sourceId: row.source_id };
}
