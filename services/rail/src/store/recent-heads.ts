/** Checks the end of the ledger in bounded time: recently moved wallets, with the last two entries of each chain. */
import type { Database, Kysely } from "@triptych/storage";
import { entryHash } from "../domain/entry.ts";
import type { Ledger } from "../domain/ledger.ts";
import { chunks } from "./pages.ts";
import { toEntry } from "./rows.ts";
import type { EntryRow, RailTables, WalletRow } from "./tables.ts";
import { toWallet } from "./wallet-rows.ts";

/** Transfers to inspect, which takes milliseconds for any ledger size. */
const RECENT_TRANSFERS = 1_000;

/** Reads one snapshot, because other processes may post between statements. */
export function recentVerbs(database: Database<RailTables>): Pick<Ledger, "recentIssues"> {
  return { recentIssues: () => database.snapshot(recentIssues) };
}

async function recentIssues(db: Kysely<RailTables>): Promise<readonly string[]> {
  const transfers = await db
    .selectFrom("transfer")
    .select(["debit", "credit"])
    .orderBy("id", "desc")
    .limit(RECENT_TRANSFERS)
    .execute();
  const accounts = transfers.flatMap(({ debit, credit }) => [debit, credit]);
  const ids = new Set(accounts.flatMap((account) => /^wallet:(.+):[a-z]+$/.exec(account)?.[1] ?? []));
  const issues: string[] = [];
  for (const chunk of chunks([...ids])) {
    const wallets = await db.selectFrom("wallet").selectAll().where("id", "in", chunk).execute();
    const entries = await db
      .selectFrom("wallet as w")
      .innerJoin("entry as e", (join) =>
        join.onRef("e.wallet_id", "=", "w.id").on((on) => on("e.seq", ">", on("w.seq", "-", 2))),
      )
      .selectAll("e")
      .where("w.id", "in", chunk)
      .orderBy("e.wallet_id")
      .orderBy("e.seq")
      .execute();
    const byWallet = Map.groupBy(entries, (entry) => entry.wallet_id);
    const known = new Set(wallets.map(({ id }) => id));
    for (const id of chunk) if (!known.has(id)) issues.push(`the wallet ${id} has entries but does not exist`);
    for (const wallet of wallets) issues.push(...headIssues(wallet, byWallet.get(wallet.id) ?? []));
  }
  return issues;
}

function headIssues(row: WalletRow, rows: readonly EntryRow[]): string[] {
  const { id, seq, head, paidMicro, promoMicro } = toWallet(row);
  const [last, before] = rows.map(toEntry).toReversed();
  if (last === undefined || last.seq !== seq)
    return [`the wallet ${id} counts ${seq} entries, the last entry is ${last?.seq ?? 0}`];
  const issues: string[] = [];
  if (entryHash(last) !== head) issues.push(`the head of the wallet ${id} is not the hash of entry ${seq}`);
  if (before !== undefined && last.prev !== entryHash(before))
    issues.push(`entry ${seq} of ${id} does not contain the hash of the previous entry`);
  if (paidMicro + promoMicro !== last.balanceAfterMicro)
    issues.push(
      `the balance of the wallet ${id} is ${paidMicro + promoMicro}, its last entry has ${last.balanceAfterMicro}`,
    );
  return issues;
}
