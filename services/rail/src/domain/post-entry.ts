/**
 * All money moves through this function: it adds an entry to the wallet's chain, and the entry's transfers. It checks
 * again that no bucket falls below zero, because everything depends on that.
 */
import type { EntryKind } from "@triptych/contracts";
import { accounts, type Bucket, entryHash, type JournalEntry } from "./entry.ts";
import type { UnitOfWork, LedgerWallet, Transfer } from "./unit-of-work.ts";

export interface Context {
  /** Unix time in milliseconds. */
  readonly now: number;
  /** Anything that ends by this time is expired or removed; defaults to `now`. */
  readonly expiryTime?: number;
  /** A new time-ordered id with this prefix (`chg_`). */
  readonly newId: (prefix: string) => string;
  readonly issuer: string;
  readonly kid: string;
  /** The revenue account of this process. */
  readonly revenue: string;
}

/** One transfer to (positive) or from (negative) a bucket of the wallet. */
export interface Posting {
  readonly bucket: Bucket;
  readonly amountMicro: number;
  readonly against: string;
  readonly reverses?: string;
}

export interface JournalEntryInput {
  readonly kind: EntryKind;
  readonly legs: readonly Posting[];
  /** Transfers of the same event that do not involve the wallet's buckets. */
  readonly beside?: readonly Pick<Transfer, "debit" | "credit" | "amountMicro">[];
  readonly chargeId?: string;
  readonly topupId?: string;
  readonly reverses?: string;
  readonly op?: string;
  readonly tokenId?: string | null;
  readonly operator?: string;
  readonly reason?: string;
}

/** A rule overdrew a bucket, which is a bug, never the caller's error. Nothing is stored. */
export class InsufficientFunds extends Error {
  constructor(walletId: string, kind: EntryKind) {
    super(`a ${kind} would take the wallet ${walletId} below zero`);
    this.name = "InsufficientFunds";
  }
}

export interface Posted {
  readonly wallet: LedgerWallet;
  readonly entry: JournalEntry;
}

export function post(
  unit: UnitOfWork,
  wallet: LedgerWallet,
  movement: JournalEntryInput,
  { now, newId }: Context,
): Posted {
  const { kind, legs } = movement;
  const change = (bucket: Bucket) =>
    legs.reduce((sum, leg) => (leg.bucket === bucket ? sum + leg.amountMicro : sum), 0);
  const paidMicro = wallet.paidMicro + change("paid");
  const promoMicro = wallet.promoMicro + change("promo");
  if (paidMicro < 0 || promoMicro < 0) throw new InsufficientFunds(wallet.id, kind);

  const entry: JournalEntry = {
    walletId: wallet.id,
    id: newId("ent_"),
    seq: wallet.seq + 1,
    kind,
    amountMicro: change("paid") + change("promo"),
    balanceAfterMicro: paidMicro + promoMicro,
    chargeId: movement.chargeId ?? null,
    topupId: movement.topupId ?? null,
    reverses: movement.reverses ?? null,
    op: movement.op ?? null,
    createdAt: now,
    prev: wallet.head,
    tokenId: movement.tokenId ?? null,
  };
  unit.append(entry, transfersOf(entry, movement));
  const after = { ...wallet, paidMicro, promoMicro, seq: entry.seq, head: entryHash(entry) };
  unit.saveWallet(after);
  return { wallet: after, entry };
}

function transfersOf(entry: JournalEntry, { legs, beside = [], ...by }: JournalEntryInput): Transfer[] {
  const about = {
    entryId: entry.id,
    at: entry.createdAt,
    operator: by.operator ?? null,
    reason: by.reason ?? null,
  };
  const own = legs
    .filter(({ amountMicro }) => amountMicro !== 0)
    .map(({ bucket, amountMicro, against, reverses }): Transfer => {
      const mine = accounts.wallet(entry.walletId, bucket);
      const [debit, credit] = amountMicro > 0 ? [against, mine] : [mine, against];
      const id = transferId(entry.id, bucket);
      return { ...about, id, debit, credit, amountMicro: Math.abs(amountMicro), reverses: reverses ?? null };
    });
  const others = beside
    .filter(({ amountMicro }) => amountMicro !== 0)
    .map((transfer, index): Transfer => ({ ...about, ...transfer, id: `${entry.id}.${index}`, reverses: null }));
  return [...own, ...others];
}

/** An entry moves each bucket at most once, so entry and bucket identify the transfer. */
export function transferId(entryId: string, bucket: Bucket): string {
  return `${entryId}.${bucket}`;
}

/** Expires promo money: what is left returns to its source before any other movement of the wallet. */
/** Returns the updated wallet. */
export function expirePromo(unit: UnitOfWork, wallet: LedgerWallet, context: Context): LedgerWallet {
  const { expiryTime = context.now } = context;
  const { promoMicro, promoExpiresAt } = wallet;
  if (promoMicro === 0 || promoExpiresAt === null || promoExpiresAt > expiryTime) return wallet;
  const legs = [{ bucket: "promo", amountMicro: -promoMicro, against: accounts.promoGranted } as const];
  return post(unit, wallet, { kind: "promo_expired", legs }, context).wallet;
}
