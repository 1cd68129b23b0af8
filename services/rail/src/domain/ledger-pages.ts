import type { LedgerCharge, LedgerWallet, Transfer } from "./unit-of-work.ts";
import type { JournalEntry } from "./entry.ts";

/** Rows of the ledger in chunks, in the documented order. */
export interface LedgerPages {
  /** By id. */
  wallets(): AsyncIterable<readonly LedgerWallet[]>;
  countWallets(): Promise<number>;
  /** By wallet (in the order of `wallets`) and number, each with its charge. */
  entries(): AsyncIterable<readonly AuditedEntry[]>;
  /** All entries in any order. The closer they are to chain order, the less memory is needed. */
  chained(): AsyncIterable<readonly ChainedEntry[]>;
  /** Every transfer once, summed per pair of accounts within each chunk. */
  moved(): AsyncIterable<readonly Moved[]>;
  /** Transfers of zero or less, or from an account to itself. */
  unsound(): AsyncIterable<readonly Transfer[]>;
  reversals(): AsyncIterable<readonly Reversal[]>;
  charges(): AsyncIterable<readonly LedgerCharge[]>;
  countCharges(): Promise<number>;
  /** Reversed charges with the amount that was returned. */
  undone(): AsyncIterable<readonly ReversalResult[]>;
  /** Charges with a key, by wallet, operation, key and token. */
  keyed(): AsyncIterable<readonly KeyedCharge[]>;
  /** Accounts that belong to no wallet. */
  accounts(): AsyncIterable<readonly { readonly id: string; readonly totalMicro: number }[]>;
}

export interface Moved extends Pick<Transfer, "debit" | "credit" | "amountMicro"> {
  readonly transfers: number;
  /** Smallest amount of the sum. */
  readonly leastMicro: number;
}

/** The fields that must match the entry. */
export type ChargeFacts = Pick<
  LedgerCharge,
  "state" | "walletId" | "tokenId" | "entryId" | "walletSeq" | "prev" | "amountMicro" | "balanceAfterMicro"
>;

export interface AuditedEntry {
  readonly entry: JournalEntry;
  readonly charge: ChargeFacts | null;
}

export interface ChainedEntry {
  readonly entry: JournalEntry;
  /** Whether the entry needs no charge or matches its charge. False if unknown. */
  readonly agrees: boolean;
}

export interface Reversal {
  readonly transfer: Transfer;
  readonly reversed: Transfer | null;
}

export interface ReversalResult extends Pick<LedgerCharge, "id" | "state" | "amountMicro"> {
  readonly reversedMicro: number;
  readonly times: number;
}

export interface KeyedCharge extends Pick<LedgerCharge, "id" | "walletId" | "tokenId" | "op"> {
  readonly keyHash: string;
}
