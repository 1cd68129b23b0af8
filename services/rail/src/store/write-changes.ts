/**
 * Writes down what a piece of work changed in its book, inside the transaction that filled the book. Few statements, each with all
 * its rows: embedded, every statement is a message to the writer's thread.
 */
import { batch, insertMany, sql, type Transaction } from "@triptych/storage";
import type { Changes, Transfer } from "../domain/book.ts";
import { bootRow, chargeRow, entryRow, transferRow, walletRow } from "./rows.ts";
import type { RailTables } from "./tables.ts";

export type Tx = Transaction<RailTables>;

export async function writeChanges(tx: Tx, changes: Changes, now: number): Promise<void> {
  const { wallets, charges, boots, entries, transfers, forestalled, responses } = changes;
  const added = charges.filter(({ isNew }) => isNew).map(({ charge }) => chargeRow(charge));
  const changed = charges.filter(({ isNew }) => !isNew).map(({ charge }) => charge);
  await Promise.all([
    insertMany(tx, "wallet", wallets.map(walletRow), { onConflict: { columns: ["id"], do: "replace" } }),
    insertMany(tx, "entry", entries.map(entryRow)),
    insertMany(tx, "transfer", transfers.map(transferRow)),
    addToAccounts(tx, transfers),
    batch(
      tx,
      changeCharge.compile(tx),
      changed.map(({ state, keyHash, deliveredAt, voidedAt, voidReason, id }) => [
        state,
        keyHash,
        deliveredAt,
        voidedAt,
        voidReason,
        id,
      ]),
    ),
    // After those that are voided: one of them may have let go of the key that a new one takes.
    insertMany(tx, "charge", added),
    insertMany(tx, "instance", boots.map(bootRow), { onConflict: { columns: ["instance", "boot"], do: "replace" } }),
    insertMany(tx, "forestalled", forestalled),
    insertMany(
      tx,
      "response",
      responses.map(({ chargeId, sealed }) => ({ charge_id: chargeId, sealed, created_at: now })),
    ),
  ]);
}

const changeCharge = sql`
  update charge
     set state = ${null}, key_hash = ${null}, delivered_at = ${null}, voided_at = ${null}, void_reason = ${null}
   where id = ${null}`;

/** Totals of wallets stand in their own rows; all others are added up here, in one order, so that two commits never wait crosswise. */
async function addToAccounts(tx: Tx, transfers: readonly Transfer[]): Promise<void> {
  const sums = new Map<string, number>();
  const add = (account: string, micro: number): void => {
    if (!account.startsWith("wallet:")) sums.set(account, (sums.get(account) ?? 0) + micro);
  };
  for (const { debit, credit, amountMicro } of transfers) {
    add(debit, -amountMicro);
    add(credit, amountMicro);
  }
  if (sums.size === 0) return;
  const rows = [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([id, sum]) => sql`(${id}, ${sum})`);
  await sql`
    insert into account (id, total_micro) values ${sql.join(rows)}
    on conflict (id) do update set total_micro = account.total_micro + excluded.total_micro`.execute(tx);
}
