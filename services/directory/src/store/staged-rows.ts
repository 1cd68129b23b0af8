/** Changes of many rows of the staged version, in bounded steps, interruptible after each. */
import { sql } from "@triptych/storage";
import { inBatches, type Step } from "./batching.ts";
import { visibleIn } from "./tables.ts";

export async function pruneItems(step: Step, oldest: number): Promise<void> {
  // Versions first, so that no rollback can target a version whose rows are partly deleted.
  await step(async (tx) => {
    await tx
      .deleteFrom("snapshot_part")
      .where("version_id", "in", tx.selectFrom("version").select("id").where("number", "<", oldest))
      .execute();
    await tx.deleteFrom("version").where("number", "<", oldest).execute();
  });
  await inBatches(step, async (tx, rows) => {
    await sql`
      insert into retired_slug (source_name, source_id, type, slug)
      select source_name, source_id, type, slug from item as gone
      where (type, slug, from_version) in (select type, slug, from_version from item where to_version <= ${oldest} order by to_version, type, slug limit ${rows})
        and not exists (
          select 1 from item as newer
          where newer.source_name = gone.source_name and newer.source_id = gone.source_id and newer.from_version > gone.from_version)
      on conflict (source_name, source_id) do update set type = excluded.type, slug = excluded.slug`.execute(tx);
    return sql`
      delete from item where (type, slug, from_version) in
        (select type, slug, from_version from item where to_version <= ${oldest} order by to_version, type, slug limit ${rows})`.execute(
      tx,
    );
  });
  await step((tx) => tx.deleteFrom("tag_label").where("to_version", "<=", oldest).execute());
}

export async function undoStaging(step: Step, published: number): Promise<void> {
  // New rows first: an ended row gets its slug back, which must be unique among current rows.
  await inBatches(step, (tx, rows) =>
    sql`
    delete from item where (type, slug, from_version) in
      (select type, slug, from_version from item where from_version > ${published} limit ${rows})`.execute(tx),
  );
  await inBatches(step, (tx, rows) =>
    sql`
    update item set to_version = null where (type, slug, from_version) in
      (select type, slug, from_version from item where to_version > ${published} limit ${rows})`.execute(tx),
  );
  await step(async (tx) => {
    await tx.deleteFrom("tag_label").where("from_version", ">", published).execute();
    await tx.updateTable("tag_label").set({ to_version: null }).where("to_version", ">", published).execute();
  });
}

/** Ends all published rows with the staged version, and removes its own. */
export async function clearItems(step: Step, number: number): Promise<void> {
  await inBatches(step, (tx, rows) =>
    sql`
    update item set to_version = ${number} where (type, slug, from_version) in
      (select type, slug, from_version from item where to_version is null and from_version < ${number} limit ${rows})`.execute(
      tx,
    ),
  );
  await step(async (tx) => {
    await tx.deleteFrom("item").where("from_version", "=", number).execute();
    await tx.deleteFrom("tag_label").where("from_version", "=", number).execute();
    await tx.updateTable("tag_label").set({ to_version: number }).where("to_version", "is", null).execute();
  });
}

/** Ends the published rows of a source with the staged version. Labels of tags stay: other sources may use them. */
export async function removeSourceItems(
  step: Step,
  { number, sourceName }: { number: number; sourceName: string },
): Promise<void> {
  await inBatches(step, (tx, rows) =>
    sql`
    update item set to_version = ${number} where (type, slug, from_version) in
      (select type, slug, from_version from item
        where source_name = ${sourceName} and to_version is null and from_version < ${number} limit ${rows})`.execute(
      tx,
    ),
  );
}

/**
 * Makes the staged version a copy of a stored one: ends rows that only the published version shows, and repeats rows
 * that only the stored one shows. Shared rows are untouched, so undoing a small import is cheap.
 */
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
