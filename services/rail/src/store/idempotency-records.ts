/** Records of create calls. The row is inserted first, so that a concurrent call with the same name waits. */
import type { Database } from "@triptych/storage";
import type { CreatingLedger, Ledger, Once, OnceState } from "../domain/ledger.ts";
import { autoTopupsIn } from "./auto-topups.ts";
import { inTransaction } from "./commit.ts";
import { purchasesIn } from "./purchases.ts";
import { startersIn } from "./starter.ts";
import { subTokensIn } from "./sub-tokens.ts";
import type { RailTables } from "./tables.ts";
import { topupsIn } from "./topups.ts";
import { walletsIn } from "./wallets.ts";
import type { Tx } from "./write-changes.ts";

export function onceVerbs(database: Database<RailTables>): Pick<Ledger, "once" | "keepOnce" | "forgetOnce"> {
  const { db } = database;
  return {
    once: (once, work) => inTransaction(database, (tx) => doOnce(tx, once, work)),
    async keepOnce(name, { before, answer }) {
      await db.updateTable("once").set({ answer }).where("name", "=", name).where("answer", "=", before).execute();
      const row = await db.selectFrom("once").select("answer").where("name", "=", name).executeTakeFirst();
      return row?.answer ?? null;
    },
    async forgetOnce(name, answer) {
      const named = db.deleteFrom("once").where("name", "=", name).where("answer", "=", answer);
      return Number((await named.executeTakeFirst()).numDeletedRows) > 0;
    },
  };
}

async function doOnce(
  tx: Tx,
  { name, payload, now, expiryTime = now, expiresAt }: Once,
  work: (creating: CreatingLedger) => Promise<string>,
): Promise<OnceState> {
  const row = { name, payload, started_at: now, expires_at: expiresAt, answer: null };
  const inserted = await tx
    .insertInto("once")
    .values(row)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  if (Number(inserted.numInsertedOrUpdatedRows ?? 0n) === 0) {
    // The other transaction has committed, because the insert above waited for it.
    const existing = await tx.selectFrom("once").selectAll().where("name", "=", name).forUpdate().executeTakeFirst();
    if (existing !== undefined && existing.answer !== null && existing.expires_at > expiryTime) {
      if (existing.payload !== payload) return { kind: "other_payload" };
      return { kind: "done", answer: existing.answer };
    }
    await tx
      .insertInto("once")
      .values(row)
      .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
      .execute();
  }
  const answer = await work(creatingIn(tx));
  await tx.updateTable("once").set({ answer }).where("name", "=", name).execute();
  return { kind: "first", answer };
}

function creatingIn(tx: Tx): CreatingLedger {
  return {
    ...startersIn(tx),
    ...walletsIn(tx),
    ...subTokensIn(tx),
    ...purchasesIn(tx),
    ...topupsIn(tx),
    ...autoTopupsIn(tx),
  };
}
