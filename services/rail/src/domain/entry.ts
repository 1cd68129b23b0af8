/**
 * An entry is a movement as the owner of the wallet sees it: one number, whatever buckets it touched. Entries of a wallet are
 * chained: each carries the hash of the one before, so that none can be changed, left out or slipped in afterwards.
 */
import { hash } from "node:crypto";
import type { EntryKind } from "@triptych/contracts";
import { canonicalJson } from "@triptych/contracts/plain";

export interface JournalEntry {
  readonly walletId: string;
  readonly id: string;
  readonly seq: number;
  readonly kind: EntryKind;
  /** What it adds to the balance; negative for what is spent. */
  readonly amountMicro: number;
  readonly balanceAfterMicro: number;
  readonly chargeId: string | null;
  readonly topupId: string | null;
  /** Id of the entry that it undoes. */
  readonly reverses: string | null;
  readonly op: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Hash of the entry before, 64 hex digits; zeros for the first. */
  readonly prev: string;
}

/** The hash before the first entry: 32 zero bytes. */
export const FIRST_PREV = "0".repeat(64);

/** SHA-256 over the canonical JSON of the entry without `prev`, followed by the 32 bytes of the hash before it; hex. */
export function entryHash(entry: JournalEntry): string {
  const text = canonicalEntry(entry);
  const bytes =
    scratch.length >= BYTES_OF_UNIT * text.length + entry.prev.length ? scratch : Buffer.from(text + entry.prev);
  const end = bytes.write(text);
  return hash("sha256", bytes.subarray(0, end + bytes.write(entry.prev, end, "hex")));
}

/** Where what is hashed is put together: one call of the library instead of five is what the audit's time is made of. */
const scratch = Buffer.alloc(4096);

/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_OF_UNIT = 3;

/**
 * The canonical JSON of `shownEntry` without `prev`, its members named in their order instead of sorted: this is the innermost step of
 * every charge and of the audit of millions. A test holds the two together.
 */
export function canonicalEntry(entry: JournalEntry): string {
  const text = (value: string | null) => (value === null ? "null" : canonicalJson(value));
  return (
    `{"amount_micro":${entry.amountMicro},"balance_after_micro":${entry.balanceAfterMicro},` +
    `"charge_id":${text(entry.chargeId)},"created_at":"${new Date(entry.createdAt).toISOString()}",` +
    `"id":${text(entry.id)},"kind":"${entry.kind}","op":${text(entry.op)},"reverses":${text(entry.reverses)},` +
    `"seq":${entry.seq},"topup_id":${text(entry.topupId)}}`
  );
}

export type EntryResponse = ReturnType<typeof toEntryResponse>;

/** The entry as it is sent: what its hash is made of, and half of the hash before it. */
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
  };
}

/** First 16 bytes of a hash, base64url: enough to chain, short enough for a receipt. */
export function shortHash(prev: string): string {
  return Buffer.from(prev.slice(0, 32), "hex").toString("base64url");
}
