/**
 * The version in preparation, written in bounded transactions. Each first updates the row of `staging` with this
 * attempt's number: this serializes two stagers that both believe they have the lock (after a lost connection), and
 * rejects the older one.
 */
import { sql, type Database, type Kysely, type Transaction } from "@triptych/storage";
import { PublishLockLostError, versionId, type Staging } from "../domain/published-versions.ts";
import { describeItem, type DescribedItem } from "../domain/item-document.ts";
import { compareBytes } from "../domain/index/string-table.ts";
import { clearItems, pruneItems, removeSourceItems, undoStaging, restoreItems } from "./staged-rows.ts";
import { upsertItems, upsertLabels } from "./put-items.ts";
import { createStep, type Step } from "./batching.ts";
import type { DirectoryTables } from "./tables.ts";

export const PUBLISHED_CHANNEL = "directory_published";

export interface StagingOptions {
  readonly database: Database<DirectoryTables>;
  readonly lock: AsyncDisposable;
  readonly published: number;
  readonly at: number;
  readonly signal?: AbortSignal | undefined;
}

export async function openStaging({ database, lock, published, at, signal }: StagingOptions): Promise<Staging> {
  const number = published + 1;
  const attempt = await beginAttempt(database, { number, at });
  const step: Step = createStep(async (run) => {
    signal?.throwIfAborted();
    return database.transaction(async (tx) => {
      const mine = await tx
        .updateTable("staging")
        .set({ number })
        .where("id", "=", 1)
        .where("attempt", "=", attempt)
        .executeTakeFirst();
      if (mine.numUpdatedRows !== 1n) throw new PublishLockLostError();
      return run(tx);
    });
  });
  await undoStaging(step, published);

  const upsertDescribed = (items: readonly DescribedItem[]) =>
    inParts(step, sortByAddress(items), (tx, part) => upsertItems(tx, number, part));
  const { db } = database;
  let isOpen = true;
  let isPublished = false;
  return {
    number,

    holdsOnly: async (sourceName) => published > 0 && !(await hasOtherSource(db, sourceName)),
    clear: () => clearItems(step, number),
    removeSource: (sourceName) => removeSourceItems(step, { number, sourceName }),
    upsert: (items, importedAt) => upsertDescribed(items.map((item) => describeItem(item, importedAt))),
    upsertDescribed,
    upsertLabels: (labels) => inParts(step, labels, (tx, part) => upsertLabels(tx, number, part)),
    restore: (version) => restoreItems(step, { number, version }),

    isChanged: () => isChanged(db, number),

    async publish({ hash, items, at, cause }) {
      const version = { number, id: versionId(number, hash), contentHash: hash, publishedAt: at, items, cause };
      await step(async (tx) => {
        await tx
          .insertInto("version")
          .values({ number, id: version.id, content_hash: hash, published_at: at, items, cause })
          .execute();
      });
      isPublished = true;
      // Best effort: a process that misses it polls within two seconds.
      await database.notify(PUBLISHED_CHANNEL, version.id).catch(() => {});
      return version;
    },

    prune: (keep) => pruneItems(step, number - keep + 1),

    async close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        if (!isPublished) await undoStaging(step, published);
        await database.db.updateTable("staging").set({ number: null }).where("attempt", "=", attempt).execute();
      } catch {
        // Best effort: if undo fails (disk full, connection or lock lost), the next staging does it.
      } finally {
        await lock[Symbol.asyncDispose]();
      }
    },
  };
}

/** Writes a list in steps. */
async function inParts<Value>(
  step: Step,
  values: readonly Value[],
  write: (tx: Transaction<DirectoryTables>, part: readonly Value[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < values.length;) {
    at = await step(async (tx, rows) => {
      await write(tx, values.slice(at, at + rows));
      return at + rows;
    });
  }
}

async function hasOtherSource(db: Kysely<DirectoryTables>, sourceName: string): Promise<boolean> {
  const other = await db
    .selectFrom("item")
    .select("slug")
    .where("to_version", "is", null)
    .where("source_name", "!=", sourceName)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

async function isChanged(db: Kysely<DirectoryTables>, number: number): Promise<boolean> {
  const { rows } = await sql<{ changed: number }>`
    select 1 as changed where exists (select 1 from item where from_version = ${number} or to_version = ${number})
      or exists (select 1 from tag_label where from_version = ${number} or to_version = ${number})`.execute(db);
  return rows.length > 0;
}

/** The last item per ID, by slug: each step then touches few pages of the slug indexes, fewer for larger batches. */
function sortByAddress(items: readonly DescribedItem[]): DescribedItem[] {
  const last = new Map(items.map((item) => [`${item.sourceName}\0${item.sourceId}`, item]));
  return [...last.values()].sort((a, b) =>
    a.type === b.type ? compareBytes(a.slug, b.slug) : compareBytes(a.type, b.type),
  );
}

async function beginAttempt(
  database: Database<DirectoryTables>,
  { number, at }: { number: number; at: number },
): Promise<number> {
  return database.transaction(async (tx) => {
    const row = await tx
      .insertInto("staging")
      .values({ id: 1, attempt: 1, number, started_at: at })
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet({ attempt: sql<number>`staging.attempt + 1`, number, started_at: at }),
      )
      .returning("attempt")
      .executeTakeFirstOrThrow();
    return row.attempt;
  });
}
