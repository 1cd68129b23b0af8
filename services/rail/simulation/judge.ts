/**
 * Judges the ledger: checks every commit against the invariants and the simulated world before it is applied. It
 * computes its own sums and never calls the rules that it judges.
 */
import {
  attemptName,
  bootName,
  keyName,
  type Changes,
  type LedgerCharge,
  type LedgerWallet,
} from "../src/domain/unit-of-work.ts";
import { entryHash, FIRST_PREV, type JournalEntry } from "../src/domain/entry.ts";
import type { LedgerTopup } from "../src/domain/topup-state.ts";
import { createCapsJudge } from "./judge-caps.ts";
import type { Rows } from "./rows.ts";
import type { Truth } from "./truth.ts";
import { demand } from "./violation.ts";

export interface Judge {
  /** Call it after `changes` and the settled top-up, if any, were applied to the rows. */
  committed(changes: Changes, topup?: LedgerTopup): void;
  /** Checks all rows, and the sums that hold only at rest. */
  audit(): void;
}

interface Chain {
  readonly seq: number;
  readonly head: string;
  readonly balanceMicro: number;
}

export function createJudge(rows: Rows, truth: Truth): Judge {
  const totals = new Map<string, number>();
  const transfers = new Map<string, { debit: string; credit: string; amountMicro: number }>();
  const reversedTransfers = new Set<string>();
  const chains = new Map<string, Chain>();
  const entries = new Map<string, JournalEntry>();
  const reversedEntries = new Set<string>();
  const charges = new Map<string, LedgerCharge>();
  const attempts = new Map<string, string>();
  const live = new Map<string, string>();
  const paidIn = new Map<string, number>();
  const judgeCaps = createCapsJudge(rows);

  return { committed, audit };

  function committed(changes: Changes, topup?: LedgerTopup): void {
    for (const transfer of changes.transfers) judgeTransfer(transfer);
    for (const entry of changes.entries) judgeEntry(entry);
    if (topup !== undefined) judgeTopup(topup, changes);
    for (const { charge } of changes.charges) judgeCharge(charge, changes.entries);
    for (const wallet of changes.wallets) judgeWallet(wallet);
    judgeCaps(changes);
    for (const boot of changes.boots)
      if (boot.state === "fenced")
        demand(rows.postedOf(boot).length === 0, "fencing", () => `boot ${bootName(boot)} ended with open charges`);
  }

  function judgeTransfer(transfer: Changes["transfers"][number]): void {
    const { id, debit, credit, amountMicro, reverses } = transfer;
    demand(Number.isSafeInteger(amountMicro) && amountMicro > 0, "L1", () => `transfer ${id} moves ${amountMicro}`);
    demand(debit !== credit && !transfers.has(id), "L1", () => `transfer ${id} is invalid, or not new`);
    transfers.set(id, { debit, credit, amountMicro });
    totals.set(debit, (totals.get(debit) ?? 0) - amountMicro);
    totals.set(credit, (totals.get(credit) ?? 0) + amountMicro);
    for (const account of [debit, credit])
      if (account.startsWith("wallet:"))
        demand((totals.get(account) ?? 0) >= 0, "L3", () => `${account} is at ${totals.get(account)}`);
    if (reverses === null) return;
    const before = transfers.get(reverses);
    const isOpposite = before?.debit === credit && before.credit === debit && before.amountMicro === amountMicro;
    demand(isOpposite, "L5", () => `transfer ${id} does not reverse ${reverses}`);
    demand(!reversedTransfers.has(reverses), "L5", () => `transfer ${reverses} was reversed twice`);
    reversedTransfers.add(reverses);
  }

  function judgeEntry(entry: JournalEntry): void {
    const before = chains.get(entry.walletId) ?? { seq: 0, head: FIRST_PREV, balanceMicro: 0 };
    demand(entry.seq === before.seq + 1, "L8", () => `entry ${entry.id} is number ${entry.seq} after ${before.seq}`);
    demand(entry.prev === before.head, "L8", () => `entry ${entry.id} does not follow the previous entry`);
    const balanceMicro = before.balanceMicro + entry.amountMicro;
    demand(entry.balanceAfterMicro === balanceMicro, "L2", () => `entry ${entry.id} does not add up`);
    chains.set(entry.walletId, { seq: entry.seq, head: entryHash(entry), balanceMicro });
    entries.set(entry.id, entry);
    if (entry.kind !== "void" && !(entry.kind === "refund" && entry.chargeId !== null)) return;
    const undone = entries.get(entry.reverses ?? "");
    const undoes = undone?.kind === "charge" && undone.chargeId === entry.chargeId;
    demand(undoes && undone.amountMicro === -entry.amountMicro, "L5", () => `entry ${entry.id} reverses no charge`);
    demand(!reversedEntries.has(undone.id), "L5", () => `charge ${entry.chargeId} was reversed twice`);
    reversedEntries.add(undone.id);
  }

  function judgeCharge(charge: LedgerCharge, added: readonly JournalEntry[]): void {
    const before = charges.get(charge.id);
    charges.set(charge.id, charge);
    const attempt = attemptName(charge);
    demand((attempts.get(attempt) ?? charge.id) === charge.id, "attempt", () => `${attempt} was charged twice`);
    attempts.set(attempt, charge.id);
    judgeKey(charge);
    const isUndone = charge.state === "voided" || charge.state === "refunded";
    demand(isUndone === reversedEntries.has(charge.entryId), "L5", () => `${charge.id} is ${charge.state}`);
    if (before === undefined) {
      const own = added.find(({ id }) => id === charge.entryId);
      demand(own?.amountMicro === -charge.amountMicro, "L2", () => `charge ${charge.id} has no entry`);
      truth.charged(charge);
      return;
    }
    demand(mayFollow(before, charge), "states", () => `charge ${charge.id}: ${before.state} -> ${charge.state}`);
    if (before.state === "posted" && charge.state === "delivered") truth.acknowledged(charge);
    if (before.state === "posted" && charge.state === "voided") truth.voided(charge);
  }

  function judgeKey(charge: LedgerCharge): void {
    const { walletId, tokenId, op, keyHash } = charge;
    if (keyHash === null) return;
    const name = keyName({ walletId, tokenId, op, keyHash });
    const holder = live.get(name);
    if (charge.state === "voided") {
      if (holder === charge.id) live.delete(name);
      return;
    }
    demand(holder === undefined || holder === charge.id, "L4", () => `${name}: ${holder} and ${charge.id} count`);
    live.set(name, charge.id);
  }

  /**
   * The money received minus the money returned must match the state of a top-up, however often events are repeated.
   */
  function judgeTopup({ id, state, amountMicro }: LedgerTopup, { transfers }: Changes): void {
    let cashMicro = paidIn.get(id) ?? 0;
    for (const transfer of transfers) {
      if (transfer.debit.startsWith("cash:")) cashMicro += transfer.amountMicro;
      if (transfer.credit.startsWith("cash:")) cashMicro -= transfer.amountMicro;
    }
    paidIn.set(id, cashMicro);
    const due = state === "succeeded" ? amountMicro : 0;
    demand(cashMicro === due, "L10", () => `top-up ${id} is ${state} with ${cashMicro}`);
  }

  function judgeWallet({ id, paidMicro, promoMicro, seq, head }: LedgerWallet): void {
    const [paid, promo] = [totals.get(`wallet:${id}:paid`) ?? 0, totals.get(`wallet:${id}:promo`) ?? 0];
    demand(paidMicro === paid && promoMicro === promo, "L2", () => `wallet ${id} is not the sum of its transfers`);
    demand(paidMicro >= 0 && promoMicro >= 0, "L3", () => `wallet ${id} holds ${paidMicro} and ${promoMicro}`);
    const chain = chains.get(id);
    if (chain === undefined) return;
    demand(chain.seq === seq && chain.head === head, "L8", () => `wallet ${id} does not reference its last entry`);
    demand(chain.balanceMicro === paid + promo, "L2", () => `wallet ${id} differs from its last entry`);
  }

  function audit(): void {
    for (const wallet of rows.wallets.values()) judgeWallet(wallet);
    const sum = [...totals.values()].reduce((sum, total) => sum + total, 0);
    demand(sum === 0, "L1", () => `the sum of all accounts is ${sum}`);
    for (const [account, total] of rows.totals)
      demand(totals.get(account) === total, "L2", () => `${account} is not the sum of its transfers`);
    const billed = [...rows.charges.values()].filter(({ state }) => state === "posted" || state === "delivered");
    const earned = [...totals].filter(([account]) => account.startsWith("revenue:decisions:"));
    demand(
      billed.reduce((sum, { amountMicro }) => sum + amountMicro, 0) ===
        earned.reduce((sum, [, total]) => sum + total, 0),
      "L2",
      () => "revenue differs from billed charges",
    );
  }
}

/** Whether the state transition is allowed; all other fields must stay the same. */
function mayFollow(before: LedgerCharge, after: LedgerCharge): boolean {
  const ways = {
    posted: ["posted", "delivered", "voided"],
    delivered: ["delivered", "refunded"],
    voided: ["voided"],
    refunded: ["refunded"],
  };
  const immutableFields = [
    "amountMicro",
    "entryId",
    "walletId",
    "tokenId",
    "spendableMicro",
    "req",
    "res",
    "keyHash",
    "balanceAfterMicro",
    "prev",
  ] as const;
  return ways[before.state].includes(after.state) && immutableFields.every((name) => before[name] === after[name]);
}
