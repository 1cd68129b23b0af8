/** The expiry of starter credit is stored with its grant, so that the hot wallet row needs no index. */
import type { Database } from "@triptych/storage";
import { expirePromo, type Context } from "../domain/post-entry.ts";
import { inTransaction, workIn } from "./commit.ts";
import { lockWallets } from "./load.ts";
import type { RailTables } from "./tables.ts";

/** Takes back what is left of expired credit. Returns the number of affected wallets. */
export function expirePromos(database: Database<RailTables>, context: Context, limit: number): Promise<number> {
  const { expiryTime = context.now } = context;
  return inTransaction(database, async (tx) => {
    const ended = await tx
      .selectFrom("starter_grant")
      .select("wallet_id")
      .where("ends_at", "is not", null)
      .where("ends_at", "<=", expiryTime)
      .orderBy("ends_at")
      .orderBy("wallet_id")
      .limit(limit)
      .execute();
    if (ended.length === 0) return 0;
    const ids = ended.map(({ wallet_id }) => wallet_id);
    return await workIn(tx, {
      now: context.now,
      load: async () => ({ wallets: await lockWallets(tx, ids) }),
      work(unit) {
        for (const id of ids) {
          const wallet = unit.wallet(id);
          if (wallet !== undefined) expirePromo(unit, wallet, context);
        }
        return unit.changes().entries.length;
      },
      also: () => tx.updateTable("starter_grant").set({ ends_at: null }).where("wallet_id", "in", ids).execute(),
    });
  });
}
