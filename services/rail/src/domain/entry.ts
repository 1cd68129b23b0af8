/**
 * An entry is a movement as the wallet owner sees it: one amount across buckets. Each entry contains the hash of the
 * previous one, so that none can be changed, removed or inserted later.
 */
import { hash } from "node:crypto";
import type { EntryKind } from "@triptych/contracts";
import { canonicalJson } from "@triptych/contracts/plain";

export interface JournalEntry {
  readonly walletId: string;
  readonly id: string;
  readonly seq: number;
  readonly kind: EntryKind;
  /** Change of the balance; negative for spending. */
  readonly amountMicro: number;
  readonly balanceAfterMicro: number;
  readonly chargeId: string | null;
  readonly topupId: string | null;
  readonly reverses: string | null;
  readonly op: string | null;
  /** Unix time in milliseconds. */
  readonly createdAt: number;
  /** Hash of the previous entry, 64 hex digits; zeros for the first. */
  readonly prev: string;
  /** For a charge and its reversal, the sub-token that paid; null for the main token. */
  readonly tokenId: string | null;
}

export const FIRST_PREV = "0".repeat(64);

/** SHA-256 over the canonical JSON without `prev`, followed by the 32 bytes of the previous hash; hex. */
export function entryHash(entry: JournalEntry): string {
  const text = canonicalEntry(entry);
  const bytes =
    scratch.length >= BYTES_OF_UNIT * text.length + entry.prev.length ? scratch : Buffer.from(text + entry.prev);
  const end = bytes.write(text);
  return hash("sha256", bytes.subarray(0, end + bytes.write(entry.prev, end, "hex")));
}

/** Buffer for a single hash call instead of five, because hashing dominates the time of an audit. */
const scratch = Buffer.alloc(4096);

/** Maximum UTF-8 bytes per UTF-16 unit. */
const BYTES_OF_UNIT = 3;

/**
 * Canonical JSON of `toEntryResponse` without `prev`, with sorted members, written by hand because it is the innermost
 * step of every charge and audit. A test compares the two.
 */
export function canonicalEntry(entry: JournalEntry): string {
  const text = (value: string | null) => (value === null ? "null" : canonicalJson(value));
  return (
    `{"amount_micro":${entry.amountMicro},"balance_after_micro":${entry.balanceAfterMicro},` +
    `"charge_id":${text(entry.chargeId)},"created_at":"${new Date(entry.createdAt).toISOString()}",` +
    `"id":${text(entry.id)},"kind":"${entry.kind}","op":${text(entry.op)},"reverses":${text(entry.reverses)},` +
    `"seq":${entry.seq},${entry.tokenId === null ? "" : `"token_id":${canonicalJson(entry.tokenId)},`}"topup_id":${text(entry.topupId)}}`
  );
}

export type EntryResponse = ReturnType<typeof toEntryResponse>;

/**
 * The entry as returned by the API: all hashed members and half of the previous hash. `token_id` is present only if a
 * sub-token paid, so that the hashes of older entries did not change when tokens were introduced.
 */
export function toEntryResponse(entry: JournalEntry) {
  return {
    id: entry.id,
    seq: entry.seq,
    kind: entry.kind,
    amount_micro: entry.amountMicro,
    balance_after_micro: entry.balanceAfterMicro,
    charge_id: entry.chargeId,
    topup_id: entry.topupId,
    reverses: entry.reverses,
    op: entry.op,
    created_at: new Date(entry.createdAt).toISOString(),
    prev: shortHash(entry.prev),
    ...(entry.tokenId !== null && { token_id: entry.tokenId }),
  };
}

/** First 16 bytes of a hash, base64url: long enough for a chain, short enough for a receipt. */
export function shortHash(prev: string): string {
  return Buffer.from(prev.slice(0, 32), "hex").toString("base64url");
}

/**
 * Double-entry bookkeeping: each movement debits one account and credits another, so all totals add up to zero. A total
 * is credits minus debits. Wallet accounts are never negative.
 */
export type Bucket = "paid" | "promo";

export const accounts = {
  wallet: (walletId: string, bucket: Bucket) => `wallet:${walletId}:${bucket}`,
  /** One account per rail process, so that processes do not contend for one row. */
  decisions: (process: string) => `revenue:decisions:${process}`,
  purchases: "revenue:purchases",
  promoGranted: "promo:granted",
  cash: (provider: string) => `cash:${provider}`,
  fees: (provider: string) => `fees:${provider}`,
  /** Debt of a wallet after a refund of money that was already spent. */
  receivable: (walletId: string) => `receivable:${walletId}`,
  /** Counter account for operator adjustments. */
  adjustments: "adjustments",
} as const;
