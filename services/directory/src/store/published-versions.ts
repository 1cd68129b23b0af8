/**
 * Versions as row intervals. A row is visible in version v if `from_version <= v` and it has not ended by then. So
 * staging v+1 (new rows from v+1, replaced rows ending at v+1) is invisible to readers of v, and publication inserts
 * one row in `version`.
 */
import { sql, type Database, type SqlBool } from "@triptych/storage";
import type { ItemFields, TagLabel } from "../domain/catalogue.ts";
import { PublishInProgressError, type PublishedVersion, type PublishedVersions } from "../domain/published-versions.ts";
import { createAddresses } from "./addresses.ts";
import { visibleIn } from "./tables.ts";
import { openStaging } from "./staging.ts";
import type { DirectoryTables, ItemRow, VersionRow } from "./tables.ts";

const PAGE = 1000;

type ItemPageRow = Pick<ItemRow, "type" | "slug" | "source_name" | "source_id" | "body" | "from_version">;

/** Acquires the publication lock; null if it is taken. Released when the process dies. */
export type PublishLock = () => Promise<AsyncDisposable | null>;

export function createPublishedVersions(
  database: Database<DirectoryTables>,
  acquireLock: PublishLock,
): PublishedVersions {
  const { db } = database;

  async function* pages(version: number): AsyncGenerator<readonly ItemPageRow[]> {
    let [type, slug] = ["", ""];
    for (;;) {
      const rows: ItemPageRow[] = await db
        .selectFrom("item")
        .select(["type", "slug", "source_name", "source_id", "body", "from_version"])
        .where(visibleIn(version))
        .where(sql<SqlBool>`(type, slug) > (${type}, ${slug})`)
        .orderBy("type")
        .orderBy("slug")
        .limit(PAGE)
        .execute();
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      ({ type, slug } = last);
    }
  }

  const versions: PublishedVersions = {
    async published() {
      const row = await db.selectFrom("version").selectAll().orderBy("number", "desc").limit(1).executeTakeFirst();
      return row === undefined ? null : toPublishedVersion(row);
    },

    async versions() {
      const rows = await db.selectFrom("version").selectAll().orderBy("number", "desc").limit(100).execute();
      return rows.map(toPublishedVersion);
    },

    async *items(version) {
      for await (const rows of pages(version))
        for (const { source_name, source_id, body, from_version } of rows)
          yield { sourceName: source_name, sourceId: source_id, item: itemOf(body), fromVersion: from_version };
    },

    async labels(version) {
      const rows = await db
        .selectFrom("tag_label")
        .select(["slug", "label"])
        .where(visibleIn(version))
        .orderBy("slug")
        .execute();
      return rows satisfies TagLabel[];
    },

    addresses: (keep) => createAddresses(db, keep),

    async hasAbandonedStaging() {
      const row = await db.selectFrom("staging").select("number").where("number", "is not", null).executeTakeFirst();
      return row !== undefined;
    },

    async stage(at, signal) {
      const lock = await acquireLock();
      if (lock === null) throw new PublishInProgressError();
      try {
        const published = await versions.published();
        return await openStaging({ database, lock, published: published?.number ?? 0, at, signal });
      } catch (error) {
        await lock[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
  return versions;
}

export function toPublishedVersion(row: VersionRow): PublishedVersion {
  return {
    number: row.number,
    id: row.id,
    contentHash: row.content_hash,
    publishedAt: row.published_at,
    items: row.items,
    cause: row.cause,
  };
}

export function itemOf(body: string): ItemFields {
  // `put` wrote this body from an ItemFields; it is the only writer of the column.
  return JSON.parse(body) as ItemFields;
}
