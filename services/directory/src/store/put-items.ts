/**
 * An item equal to its published row restores that row with its times; any other replaces the staged row.
 * Idempotent, and independent of batch order apart from the last value.
 */
import { insertMany, type Transaction } from "@triptych/storage";
import { jsonAfter, type DescribedItem } from "../domain/item-document.ts";
import { padInList } from "./batching.ts";
import type { DirectoryTables, ItemRow } from "./tables.ts";
import type { CountedLabel } from "../domain/published-versions.ts";

export async function upsertItems(
  tx: Transaction<DirectoryTables>,
  number: number,
  items: readonly DescribedItem[],
): Promise<void> {
  for (const [sourceName, batch] of bySource(items)) {
    const published = await publishedRows(tx, { number, sourceName, sourceIds: [...batch.keys()] });
    const back: string[] = [];
    const ended: string[] = [];
    const fresh: ItemRow[] = [];
    for (const [sourceId, item] of batch) {
      const { type, slug, json, fingerprint } = item;
      const row = published.get(sourceId);
      if (row?.fingerprint === fingerprint) {
        if (row.to_version !== null) back.push(sourceId);
        continue;
      }
      if (row !== undefined && row.to_version === null) ended.push(sourceId);
      fresh.push({
        type,
        slug,
        source_name: sourceName,
        source_id: sourceId,
        body: row === undefined ? json : jsonAfter(row.body, item),
        fingerprint,
        from_version: number,
        to_version: null,
      });
    }
    const ids = [...batch.keys()];
    await tx
      .deleteFrom("item")
      .where("source_name", "=", sourceName)
      .where("source_id", "in", padInList(ids))
      .where("from_version", "=", number)
      .execute();
    await setEnd(tx, { number, sourceName, sourceIds: ended, end: number });
    await setEnd(tx, { number, sourceName, sourceIds: back, end: null });
    await insertMany(tx, "item", fresh);
  }
}

function bySource(items: readonly DescribedItem[]): Map<string, Map<string, DescribedItem>> {
  const sources = new Map<string, Map<string, DescribedItem>>();
  for (const item of items) {
    const batch = sources.get(item.sourceName) ?? new Map<string, DescribedItem>();
    sources.set(item.sourceName, batch.set(item.sourceId, item));
  }
  return sources;
}

interface PublishedRow {
  readonly fingerprint: string;
  readonly to_version: number | null;
  readonly body: string;
}

async function publishedRows(
  tx: Transaction<DirectoryTables>,
  { number, sourceName, sourceIds }: { number: number; sourceName: string; sourceIds: readonly string[] },
): Promise<Map<string, PublishedRow>> {
  const rows = await tx
    .selectFrom("item")
    .select(["source_id", "fingerprint", "to_version", "body"])
    .where("source_name", "=", sourceName)
    .where("source_id", "in", padInList(sourceIds))
    .where("from_version", "<", number)
    .where(({ or, eb }) => or([eb("to_version", "is", null), eb("to_version", "=", number)]))
    .execute();
  return new Map(
    rows.map(({ source_id, fingerprint, to_version, body }) => [source_id, { fingerprint, to_version, body }]),
  );
}

async function setEnd(
  tx: Transaction<DirectoryTables>,
  {
    number,
    sourceName,
    sourceIds,
    end,
  }: { number: number; sourceName: string; sourceIds: readonly string[]; end: number | null },
): Promise<void> {
  if (sourceIds.length === 0) return;
  await tx
    .updateTable("item")
    .set({ to_version: end })
    .where("source_name", "=", sourceName)
    .where("source_id", "in", padInList(sourceIds))
    .where("from_version", "<", number)
    .where(({ or, eb }) => or([eb("to_version", "is", null), eb("to_version", "=", number)]))
    .execute();
}

export async function upsertLabels(
  tx: Transaction<DirectoryTables>,
  number: number,
  labels: readonly CountedLabel[],
): Promise<void> {
  const stored = await tx
    .selectFrom("tag_label")
    .selectAll()
    .where("slug", "in", padInList(labels.map(({ slug }) => slug)))
    .where(({ or, eb }) => or([eb("to_version", "is", null), eb("to_version", "=", number)]))
    .execute();
  for (const { slug, label, uses } of labels) {
    const rows = stored.filter((row) => row.slug === slug);
    const published = rows.find((row) => row.from_version < number);
    if (
      published !== undefined &&
      published.to_version === null &&
      (published.label === label || published.uses > uses)
    )
      continue;
    await tx.deleteFrom("tag_label").where("slug", "=", slug).where("from_version", "=", number).execute();
    const isBack = published?.label === label;
    if (published !== undefined) {
      await tx
        .updateTable("tag_label")
        .set({ to_version: isBack ? null : number })
        .where("slug", "=", slug)
        .where("from_version", "=", published.from_version)
        .execute();
    }
    if (!isBack)
      await tx.insertInto("tag_label").values({ slug, label, uses, from_version: number, to_version: null }).execute();
  }
}
