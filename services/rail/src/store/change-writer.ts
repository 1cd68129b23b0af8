import type { Statements, Value } from "@triptych/storage";
import type { Spend } from "../domain/caps.ts";
import type { Changes } from "../domain/unit-of-work.ts";
import { accountSums } from "./account-balances.ts";
import { bootRow, chargeRow, entryRow, transferRow } from "./rows.ts";
import type { ChargeRow, EntryRow, InstanceRow, TransferRow } from "./tables.ts";
import { spendRow } from "./wallet-rows.ts";

const ENTRY = [
  "wallet_id",
  "seq",
  "id",
  "kind",
  "amount_micro",
  "balance_after_micro",
  "charge_id",
  "topup_id",
  "reverses",
  "op",
  "created_at",
  "prev",
  "token_id",
] as const satisfies readonly (keyof EntryRow)[];

const TRANSFER = [
  "id",
  "entry_id",
  "debit",
  "credit",
  "amount_micro",
  "reverses",
  "at",
  "operator",
  "reason",
] as const satisfies readonly (keyof TransferRow)[];

const CHARGE = [
  "id",
  "instance",
  "boot",
  "seq",
  "wallet_id",
  "state",
  "op",
  "qty",
  "price_id",
  "amount_micro",
  "promo_micro",
  "revenue",
  "key_hash",
  "idk",
  "req",
  "res",
  "issuer",
  "kid",
  "entry_id",
  "wallet_seq",
  "balance_after_micro",
  "prev",
  "created_at",
  "delivered_at",
  "voided_at",
  "void_reason",
  "token_id",
  "spendable_micro",
] as const satisfies readonly (keyof ChargeRow)[];

const BOOT = ["instance", "boot", "state", "lease_until", "through"] as const satisfies readonly (keyof InstanceRow)[];

/** In the order of `spendRow`. */
export const SPEND =
  "day = ?, day_micro = ?, day_before_micro = ?, month = ?, month_micro = ?, month_before_micro = ?, spent_micro = ?";

export function spendValues(spend: Spend): readonly number[] {
  return Object.values(spendRow(spend));
}

export function createChangeWriter(statements: Statements): (changes: Changes, now: number) => void {
  const insert = {
    entry: insertion(statements, "entry", ENTRY),
    transfer: insertion(statements, "transfer", TRANSFER),
    charge: insertion(statements, "charge", CHARGE),
    boot: insertion(
      statements,
      "instance",
      BOOT,
      "on conflict do update set state = excluded.state, " +
        "lease_until = excluded.lease_until, through = excluded.through",
    ),
  };
  const changeWallet = statements.prepare(
    `update wallet set status = ?, paid_micro = ?, promo_micro = ?, promo_expires_at = ?, seq = ?, head = ?,
       ${SPEND} where id = ?`,
  );
  const changeSubToken = statements.prepare(`update token_budget set ${SPEND} where token_id = ?`);
  const addToAccount = statements.prepare(
    "insert into account (id, total_micro) values (?, ?) on conflict do update set total_micro = total_micro + excluded.total_micro",
  );
  const deliver = statements.prepare("update charge set state = 'delivered', delivered_at = ? where id = ?");
  const deliverThrough = statements.prepare(
    `update charge set state = 'delivered', delivered_at = ?
      where instance = ? and boot = ? and seq > ? and seq <= ? and state = 'posted'`,
  );
  const undo = statements.prepare("update charge set state = ?, voided_at = ?, void_reason = ? where id = ?");
  const insertTombstone = statements.prepare("insert into forestalled (instance, boot, seq) values (?, ?, ?)");
  const keepResponse = statements.prepare("insert into response (charge_id, sealed, created_at) values (?, ?, ?)");

  return ({ wallets, subTokens, charges, boots, acknowledged, entries, transfers, tombstones, responses }, now) => {
    for (const { id, status, paidMicro, promoMicro, promoExpiresAt, seq, head, spend } of wallets)
      changeWallet.run(status, paidMicro, promoMicro, promoExpiresAt, seq, head, ...spendValues(spend), id);
    for (const { id, spend } of subTokens) changeSubToken.run(...spendValues(spend), id);
    for (const entry of entries) insert.entry(entryRow(entry));
    for (const transfer of transfers) insert.transfer(transferRow(transfer));
    for (const [id, micro] of accountSums(transfers)) addToAccount.run(id, micro);
    for (const { charge, isNew } of charges) {
      if (isNew) continue;
      if (charge.state === "delivered") deliver.run(charge.deliveredAt, charge.id);
      else undo.run(charge.state, charge.voidedAt, charge.voidReason, charge.id);
    }
    // Must come after the voided charges, which stay voided.
    for (const { instance, boot, after, through, also, at } of acknowledged) {
      if (through > after) deliverThrough.run(at, instance, boot, after, through);
      for (const seq of also) deliverThrough.run(at, instance, boot, seq - 1, seq);
    }
    // Must come after the voided charges, because one may have freed the key that a new charge takes.
    for (const { charge, isNew } of charges) if (isNew) insert.charge(chargeRow(charge));
    for (const boot of boots) insert.boot(bootRow(boot));
    for (const { instance, boot, seq } of tombstones) insertTombstone.run(instance, boot, seq);
    for (const { chargeId, sealed } of responses) keepResponse.run(chargeId, sealed, now);
  };
}

function insertion<Column extends string>(
  statements: Statements,
  table: string,
  columns: readonly Column[],
  more = "",
): (row: Readonly<Record<Column, Value>>) => void {
  const placeholders = columns.map(() => "?").join(", ");
  const statement = statements.prepare(`insert into ${table} (${columns.join(", ")}) values (${placeholders}) ${more}`);
  return (row) => void statement.run(...columns.map((column) => row[column]));
}
