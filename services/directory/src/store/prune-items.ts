import { sql } from "@triptych/storage";
import { inBatches, type Step } from "./batching.ts";

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
          select 1 from item as kept
          where kept.source_name = gone.source_name and kept.source_id = gone.source_id and kept.from_version > gone.from_version)
      on conflict (source_name, source_id) do update set type = excluded.type, slug = excluded.slug`.execute(tx);
    return sql`
      delete from item where (type, slug, from_version) in
        (select type, slug, from_version from item where to_version <= ${oldest} order by to_version, type, slug limit ${rows})`.execute(
      tx,
    );
  });
  await step((tx) => tx.deleteFrom("tag_label").where("to_version", "<=", oldest).execute());
}
