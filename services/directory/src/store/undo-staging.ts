/** Takes back everything that was staged above the published version, in bounded steps; each step may be the last one done. */
import { sql } from "@triptych/storage";
import { everyRow, type Step } from "./step.ts";

export async function undoStaging(step: Step, published: number): Promise<void> {
  // New rows go first: a row that ended gets its address back, which only one living row may have.
  await everyRow(step, (tx, rows) =>
    sql`
    delete from item where (type, slug, from_version) in
      (select type, slug, from_version from item where from_version > ${published} limit ${rows})`.execute(tx),
  );
  await everyRow(step, (tx, rows) =>
    sql`
    update item set to_version = null where (type, slug, from_version) in
      (select type, slug, from_version from item where to_version > ${published} limit ${rows})`.execute(tx),
  );
  await step(async (tx) => {
    await tx.deleteFrom("tag_label").where("from_version", ">", published).execute();
    await tx.updateTable("tag_label").set({ to_version: null }).where("to_version", ">", published).execute();
  });
}
