/**
 * Reads every row once, in chunks, in one snapshot, and reports violated invariants (L1 to L5, L8). Relies on no
 * constraint, trigger or stored total. Memory holds one chunk and the totals of `accountsAtOnce` accounts.
 */
import { accounts } from "./entry.ts";
import { auditEntries, partOf, type Found, type Violation } from "./audit-entries.ts";
import { keyName, type LedgerCharge } from "./unit-of-work.ts";
import type { KeyedCharge, LedgerPages } from "./ledger-pages.ts";

export interface AuditReport {
  readonly ok: boolean;
  readonly transfers: number;
  readonly entries: number;
  /** Number of charges with a checked receipt. */
  readonly receipts: number;
  /** At most `VIOLATIONS_MAX`. */
  readonly violations: readonly Violation[];
}

export interface AuditOptions {
  /** Returns the problem of this charge's receipt, or null. */
  readonly receiptError?: (charge: LedgerCharge) => Promise<string | null>;
  /** Accounts per pass. A million take about 150 MB; a wallet has two. */
  readonly accountsAtOnce?: number;
}

/** More violations add no information. */
export const VIOLATIONS_MAX = 1_000;

const ACCOUNTS_AT_ONCE = 1_000_000;

/** Enough to keep the signing and verifying threads busy. */
const RECEIPTS_AT_ONCE = 64;

export async function auditLedger(pages: LedgerPages, options: AuditOptions = {}): Promise<AuditReport> {
  const { accountsAtOnce = ACCOUNTS_AT_ONCE } = options;
  const parts = Math.max(1, Math.ceil((2 * (await pages.countWallets())) / accountsAtOnce));
  const violations: Violation[] = [];
  const found: Found = (invariant, subject, message) => {
    if (violations.length < VIOLATIONS_MAX) violations.push({ invariant, subject, message });
  };
  const transfers = await auditTotals(pages, found, parts);
  const { entries, charged } = await auditEntries(pages, found, parts);
  await auditReversals(pages, found);
  await auditKeys(pages, found);
  await auditUndone(pages, found);
  const receipts = await auditReceipts(pages, found, options.receiptError);
  const charges = await pages.countCharges();
  if (charges !== charged) found("L2", "charges", `found ${charges} charges, but ${charged} charge entries`);
  return { ok: violations.length === 0, transfers, entries, receipts, violations };
}

/** L1, L2 and L3 of accounts. Returns the number of transfers. */
async function auditTotals(pages: LedgerPages, found: Found, parts: number): Promise<number> {
  let count = 0;
  let sumMicro = 0;
  for (let part = 0; part < parts; part++) {
    const isMine = (account: string) => parts === 1 || partOf(account, parts) === part;
    const totals = new Map<string, number>();
    const add = (account: string, micro: number) => {
      if (isMine(account)) totals.set(account, (totals.get(account) ?? 0) + micro);
    };
    let areSound = true;
    for await (const page of pages.moved()) {
      for (const { debit, credit, amountMicro, transfers, leastMicro } of page) {
        add(debit, -amountMicro);
        add(credit, amountMicro);
        areSound &&= leastMicro > 0 && debit !== credit;
        if (part === 0) count += transfers;
      }
    }
    if (!areSound && part === 0) await auditUnsound(pages, found);
    const check = (id: string, totalMicro: number) => {
      if (!isMine(id)) return;
      const expected = totals.get(id) ?? 0;
      totals.delete(id);
      sumMicro += totalMicro;
      if (totalMicro !== expected) found("L2", id, `the total is ${totalMicro}, the sum of its transfers ${expected}`);
    };
    for await (const page of pages.wallets()) {
      for (const { id, paidMicro, promoMicro } of page) {
        check(accounts.wallet(id, "paid"), paidMicro);
        check(accounts.wallet(id, "promo"), promoMicro);
        if (part > 0) continue;
        if (paidMicro < 0) found("L3", accounts.wallet(id, "paid"), `the balance is negative: ${paidMicro}`);
        if (promoMicro < 0) found("L3", accounts.wallet(id, "promo"), `the balance is negative: ${promoMicro}`);
      }
    }
    for await (const page of pages.accounts()) for (const { id, totalMicro } of page) check(id, totalMicro);
    for (const [id, micro] of totals)
      if (micro !== 0) found("L2", id, `the total is missing, the sum of its transfers is ${micro}`);
  }
  if (sumMicro !== 0) found("L1", "all accounts", `the sum of all totals is ${sumMicro}, not 0`);
  return count;
}

async function auditUnsound(pages: LedgerPages, found: Found): Promise<void> {
  for await (const page of pages.unsound()) {
    for (const { id, amountMicro, debit, credit } of page) {
      if (amountMicro <= 0) found("L1", id, `the transfer amount is ${amountMicro}`);
      if (debit === credit) found("L1", id, `the transfer goes from ${debit} to itself`);
    }
  }
}

/** Checks L5 for transfers: each is reversed at most once, by the same amount, in the opposite direction. */
async function auditReversals(pages: LedgerPages, found: Found): Promise<void> {
  let last: string | null = null;
  for await (const page of pages.reversals()) {
    for (const { transfer, reversed } of page) {
      const { id, reverses } = transfer;
      if (reverses === last) found("L5", id, `the transfer ${reverses} is reversed more than once`);
      last = reverses;
      if (reversed === null) found("L5", id, `it reverses ${reverses}, which does not exist`);
      else if (
        reversed.amountMicro !== transfer.amountMicro ||
        reversed.debit !== transfer.credit ||
        reversed.credit !== transfer.debit
      )
        found("L5", id, `it is not the exact reversal of the transfer ${reverses}`);
    }
  }
}

/** L4. */
async function auditKeys(pages: LedgerPages, found: Found): Promise<void> {
  let last: KeyedCharge | null = null;
  for await (const page of pages.keyed()) {
    for (const charge of page) {
      if (last !== null && keyName(last) === keyName(charge))
        found("L4", charge.id, `the idempotency key is also used by ${last.id}`);
      last = charge;
    }
  }
}

/** L5 of reversed charges. */
async function auditUndone(pages: LedgerPages, found: Found): Promise<void> {
  for await (const page of pages.undone()) {
    for (const { id, state, amountMicro, reversedMicro, times } of page) {
      if (times !== 1) found("L5", id, `the state is ${state}, but ${times} entries reverse it`);
      if (reversedMicro !== amountMicro)
        found("L5", id, `the state is ${state}, the amount ${amountMicro}, but ${reversedMicro} was reversed`);
    }
  }
}

async function auditReceipts(
  pages: LedgerPages,
  found: Found,
  receiptError: AuditOptions["receiptError"],
): Promise<number> {
  if (receiptError === undefined) return 0;
  let receipts = 0;
  for await (const page of pages.charges()) {
    for (let at = 0; at < page.length; at += RECEIPTS_AT_ONCE) {
      const charges = page.slice(at, at + RECEIPTS_AT_ONCE);
      const issues = await Promise.all(charges.map(receiptError));
      for (const [index, { id }] of charges.entries()) {
        const issue = issues[index] ?? null;
        if (issue !== null) found("receipt", id, issue);
      }
    }
    receipts += page.length;
  }
  return receipts;
}
