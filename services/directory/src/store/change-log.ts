/** Reads the differences of stored versions from the intervals of their rows, in bounded statements. */
import { sql, type Kysely } from "@triptych/storage";
import type { ItemType } from "@triptych/contracts";
import type { ChangeLog, RemovedItem } from "../domain/changes.ts";
import type { DirectoryTables } from "./tables.ts";

const PAGE = 1000;

interface EndedRow {
  readonly type: ItemType;
  readonly slug: string;
  readonly from_version: number;
  readonly last_end: number;
  readonly is_live: number | boolean;
}

export function createChangeLog(db: Kysely<DirectoryTables>): ChangeLog {
  const versions = async () => {
    const rows = await db.selectFrom("version").select(["number", "id", "published_at"]).orderBy("number").execute();
    return rows.map(({ number, id, published_at }) => ({ number, id, publishedAt: published_at }));
  };

  /** Rows that ended with one version; `last_end` is later for addresses that returned and ended again. */
  const endedRows = async (ended: number, upTo: number, cursor: Cursor): Promise<readonly EndedRow[]> => {
    const { rows } = await sql<EndedRow>`
      select gone.type, gone.slug, gone.from_version,
        (select max(other.to_version) from item as other
          where other.type = gone.type and other.slug = gone.slug and other.to_version <= ${upTo}) as last_end,
        exists (select 1 from item as live where live.type = gone.type and live.slug = gone.slug
          and live.from_version <= ${upTo} and (live.to_version is null or live.to_version > ${upTo})) as is_live
        from item as gone
       where gone.to_version = ${ended} and (gone.type, gone.slug) > (${cursor.type}, ${cursor.slug})
       order by gone.type, gone.slug limit ${PAGE}`.execute(db);
    return rows;
  };

  return {
    versions,

    async *removed(after, upTo) {
      // The client's copy is empty, so no address of it can be missing.
      if (after === 0) return;
      const published = new Map((await versions()).map(({ number, publishedAt }) => [number, publishedAt]));
      for (let ended = after + 1; ended <= upTo; ended++) {
        let cursor: Cursor = { type: "", slug: "" };
        for (;;) {
          const rows = await endedRows(ended, upTo, cursor);
          await assertStored(db, after);
          yield* removedAmong(rows, after, published);
          const last = rows.at(-1);
          if (last === undefined || rows.length < PAGE) break;
          cursor = last;
        }
      }
    },
  };
}

type Cursor = Pick<EndedRow, "slug"> & { readonly type: string };

function* removedAmong(
  rows: readonly EndedRow[],
  after: number,
  published: ReadonlyMap<number, number>,
): Generator<RemovedItem> {
  for (const { type, slug, from_version, last_end, is_live } of rows) {
    // Skips addresses that were created later, so that the copy does not have them, or that exist again in the served version.
    if (from_version > after || is_live) continue;
    yield { type, slug, deletedAt: published.get(last_end) ?? 0 };
  }
}

/** Pruning removes the version before its rows, so rows read before this check were complete. */
async function assertStored(db: Kysely<DirectoryTables>, number: number): Promise<void> {
  const row = await db.selectFrom("version").select("number").where("number", "=", number).executeTakeFirst();
  if (row === undefined) throw new Error("a version was removed while its changes were read");
}
