/**
 * Writes the changes of a unit of work in its transaction. Uses few statements with many rows, because on SQLite every
 * statement is a message to the writer thread.
 */
import { batch, insertMany, sql, type Transaction } from "@triptych/storage";
import type { Changes, LedgerCharge, LedgerWallet, SubToken, Transfer } from "../domain/unit-of-work.ts";
import { accountSums } from "./account-balances.ts";
import { chunks } from "./pages.ts";
import { bootRow, chargeRow, entryRow, transferRow } from "./rows.ts";
import type { RailTables } from "./tables.ts";
import { spendRow } from "./wallet-rows.ts";

export type Tx = Transaction<RailTables>;

export async function writeChanges(tx: Tx, changes: Changes, now: number): Promise<void> {
  const { wallets, subTokens, charges, boots, entries, transfers, tombstones, responses } = changes;
  const added = charges.filter(({ isNew }) => isNew).map(({ charge }) => charge);
  const changed = charges.filter(({ isNew }) => !isNew).map(({ charge }) => charge);
  await Promise.all([
    batch(tx, changeWallet.compile(tx), wallets.map(walletValues)),
    batch(tx, changeSubToken.compile(tx), subTokens.map(subTokenValues)),
    insertMany(tx, "entry", entries.map(entryRow)),
    insertMany(tx, "transfer", transfers.map(transferRow)),
    addToAccounts(tx, transfers),
    deliver(tx, changed),
    batch(tx, undoCharge.compile(tx), changed.filter(({ state }) => state !== "delivered").map(undoneValues)),
    // Must come after the voided charges, because one may have freed the key that a new charge takes.
    insertMany(tx, "charge", added.map(chargeRow)),
    insertMany(tx, "instance", boots.map(bootRow), { onConflict: { columns: ["instance", "boot"], do: "replace" } }),
    insertMany(tx, "forestalled", tombstones),
    insertMany(
      tx,
      "response",
      responses.map(({ chargeId, sealed }) => ({ charge_id: chargeId, sealed, created_at: now })),
    ),
  ]);
}

/** Creation inserts the wallet, so it always exists here. */
const changeWallet = sql`
  update wallet
     set status = ${null}, paid_micro = ${null}, promo_micro = ${null}, promo_expires_at = ${null}, seq = ${null}, head = ${null},
         day = ${null}, day_micro = ${null}, day_before_micro = ${null},
         month = ${null}, month_micro = ${null}, month_before_micro = ${null}, spent_micro = ${null}
   where id = ${null}`;

function walletValues({ id, status, paidMicro, promoMicro, promoExpiresAt, seq, head, spend }: LedgerWallet) {
  return [status, paidMicro, promoMicro, promoExpiresAt, seq, head, ...Object.values(spendRow(spend)), id];
}

const changeSubToken = sql`
  update token_budget
     set day = ${null}, day_micro = ${null}, day_before_micro = ${null},
         month = ${null}, month_micro = ${null}, month_before_micro = ${null}, spent_micro = ${null}
   where token_id = ${null}`;

function subTokenValues({ id, spend }: SubToken) {
  return [...Object.values(spendRow(spend)), id];
}

const undoCharge = sql`update charge set state = ${null}, voided_at = ${null}, void_reason = ${null} where id = ${null}`;

function undoneValues({ id, state, voidedAt, voidReason }: LedgerCharge) {
  return [state, voidedAt, voidReason, id];
}

/**
 * Usually these are all charges of the previous commit, and one statement per charge would cost as much as charging.
 */
async function deliver(tx: Tx, charges: readonly LedgerCharge[]): Promise<void> {
  const byTime = Map.groupBy(
    charges.filter(({ state }) => state === "delivered"),
    ({ deliveredAt }) => deliveredAt,
  );
  for (const [delivered_at, delivered] of byTime)
    for (const ids of chunks(delivered.map(({ id }) => id))) {
      const change = tx.updateTable("charge").set({ state: "delivered", delivered_at });
      await change.where("id", "in", padded(ids)).execute();
    }
}

/**
 * Pads the list to the next power of two by repeating the last ID, so that there are only a few prepared statements.
 */
function padded(ids: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length)));
  return Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)] ?? "");
}

async function addToAccounts(tx: Tx, transfers: readonly Transfer[]): Promise<void> {
  const rows = accountSums(transfers).map(([id, sum]) => sql`(${id}, ${sum})`);
  if (rows.length === 0) return;
  await sql`
    insert into account (id, total_micro) values ${sql.join(rows)}
    on conflict (id) do update set total_micro = account.total_micro + excluded.total_micro`.execute(tx);
}
