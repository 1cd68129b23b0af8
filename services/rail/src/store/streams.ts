import { auditLedger } from "../domain/audit.ts";
import type { Ledger } from "../domain/ledger.ts";
import { auditPages, chargePages, transferPages } from "./audit-pages.ts";
import type { Engine } from "./engine.ts";
import { pages } from "./pages.ts";
import { toEntry } from "./rows.ts";
import { toWallet } from "./wallet-rows.ts";

type StreamVerbs = Pick<Ledger, "transfers" | "allEntries" | "allCharges" | "accountTotals" | "walletHeads" | "audit">;

export function streamVerbs({ database, auditReads }: Engine): StreamVerbs {
  const { db } = database;
  return {
    transfers: () => transferPages(db),
    allCharges: () => chargePages(db),
    allEntries: () =>
      pages({
        start: { walletId: "", seq: 0 },
        async read(after: { readonly walletId: string; readonly seq: number }, limit) {
          const rows = await db
            .selectFrom("entry")
            .selectAll()
            .where((where) => where(where.refTuple("wallet_id", "seq"), ">", where.tuple(after.walletId, after.seq)))
            .orderBy("wallet_id")
            .orderBy("seq")
            .limit(limit)
            .execute();
          return rows.map(toEntry);
        },
        cursorOf: (entry) => entry,
      }),
    async accountTotals() {
      const rows = await db.selectFrom("account_total").selectAll().orderBy("id").execute();
      return new Map(rows.map(({ id, total_micro }) => [id, total_micro]));
    },
    async walletHeads() {
      const rows = await db.selectFrom("wallet").selectAll().orderBy("id").execute();
      return rows.map(toWallet);
    },
    audit: (options) => database.snapshot(async (tx) => auditLedger(auditPages(tx, await auditReads(tx)), options)),
  };
}
