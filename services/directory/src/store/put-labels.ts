/** Idempotent; batches of different tags commute. */
import type { Transaction } from "@triptych/storage";
import type { CountedLabel } from "../domain/published-versions.ts";
import { padInList } from "./in-list-padding.ts";
import type { DirectoryTables } from "./tables.ts";

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
