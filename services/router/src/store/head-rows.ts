import type { Database } from "@triptych/storage";
import type { HeadRecord } from "../domain/heads/head.ts";
import { toHead } from "./rows.ts";
import type { RouterTables, Tx } from "./tables.ts";

/** Increments the owner's revision. The row lock lasts until commit, which serializes changes of one owner's heads. */
export async function holdOwner(tx: Tx, owner: string): Promise<void> {
  await tx
    .insertInto("head_owner")
    .values({ owner, revision: 1 })
    .onConflict((conflict) =>
      conflict.column("owner").doUpdateSet((eb) => ({ revision: eb("head_owner.revision", "+", 1) })),
    )
    .execute();
}

export async function headIn(
  db: Pick<Database<RouterTables>["db"], "selectFrom">,
  owner: string,
  id: string,
): Promise<HeadRecord | null> {
  const row = await db
    .selectFrom("head")
    .selectAll()
    .where("owner", "=", owner)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : toHead(row);
}

export async function removeIn(tx: Tx, owner: string, id: string): Promise<void> {
  await tx.deleteFrom("feedback").where("owner", "=", owner).where("about", "=", id).execute();
  await tx.deleteFrom("head").where("owner", "=", owner).where("id", "=", id).execute();
}
