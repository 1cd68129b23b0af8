/** In bounded steps, interruptible after each. */
import { sql } from "@triptych/storage";
import { inBatches, type Step } from "./batching.ts";

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
