/**
 * Makes the staged version a copy of a stored one: ends rows that only the published version shows, and repeats rows
 * that only the stored one shows. Shared rows are untouched, so undoing a small import is cheap.
 */
import { sql } from "@triptych/storage";
import { visibleIn } from "./intervals.ts";
import { inBatches, type Step } from "./batching.ts";

export async function restoreItems(
  step: Step,
  { number, version }: { number: number; version: number },
): Promise<void> {
  await inBatches(step, (tx, rows) =>
    sql`
    update item set to_version = ${number} where (type, slug, from_version) in
      (select type, slug, from_version from item where to_version is null and from_version > ${version} and from_version < ${number} limit ${rows})`.execute(
      tx,
    ),
  );
  await inBatches(step, (tx, rows) =>
    sql`
    insert into item (type, slug, source_name, source_id, body, fingerprint, from_version, to_version)
    select type, slug, source_name, source_id, body, fingerprint, ${sql.lit(number)}, null from item as old
    where from_version <= ${version} and to_version > ${version} and to_version <= ${number}
      and not exists (select 1 from item as again where again.type = old.type and again.slug = old.slug and again.from_version = ${number})
    limit ${rows}`.execute(tx),
  );

  await step(async (tx) => {
    await tx
      .updateTable("tag_label")
      .set({ to_version: number })
      .where("to_version", "is", null)
      .where("from_version", ">", version)
      .execute();
    await sql`
      insert into tag_label (slug, label, uses, from_version, to_version)
      select slug, label, uses, ${sql.lit(number)}, null from tag_label
      where ${visibleIn(version)} and to_version is not null`.execute(tx);
  });
}
