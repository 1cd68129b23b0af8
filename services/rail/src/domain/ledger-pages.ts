/** What the audit reads. */
import type { LedgerCharge, LedgerWallet, Transfer } from "./unit-of-work.ts";
import type { JournalEntry } from "./entry.ts";

/** Rows of the ledger in portions, each in the order that is said. */
export interface LedgerPages {
  /** By id. */
  wallets(): AsyncIterable<readonly LedgerWallet[]>;
  countWallets(): Promise<number>;
  /** By wallet and number, wallets in the order of `wallets`; with the charge that it is about. */
  entries(): AsyncIterable<readonly AuditedEntry[]>;
  /** All of them, in any order; the nearer those of one wallet are to that of their numbers, the less is held. */
  chained(): AsyncIterable<readonly ChainedEntry[]>;
  /** Every transfer once, added up by its two accounts within each portion. */
  moved(): AsyncIterable<readonly Moved[]>;
  /** Transfers that move nothing, less than nothing, or from an account to itself. */
  unsound(): AsyncIterable<readonly Transfer[]>;
  /** Transfers that reverse another, by what they reverse; with that one. */
  reversals(): AsyncIterable<readonly Reversal[]>;
  charges(): AsyncIterable<readonly LedgerCharge[]>;
  countCharges(): Promise<number>;
  /** Charges that were undone, with how much was given back for them. */
  undone(): AsyncIterable<readonly ReversalResult[]>;
  /** Those that hold a key, by wallet, operation and key. */
  keyed(): AsyncIterable<readonly KeyedCharge[]>;
  /** Accounts that are not a wallet's. */
  accounts(): AsyncIterable<readonly { readonly id: string; readonly totalMicro: number }[]>;
}

export interface Moved extends Pick<Transfer, "debit" | "credit" | "amountMicro"> {
  readonly transfers: number;
  /** Of the smallest of them. */
  readonly leastMicro: number;
}

/** What must agree with its entry. */
export type ChargeFacts = Pick<
  LedgerCharge,
  "state" | "walletId" | "entryId" | "walletSeq" | "prev" | "amountMicro" | "balanceAfterMicro"
>;

export interface AuditedEntry {
  readonly entry: JournalEntry;
  readonly charge: ChargeFacts | null;
}

export interface ChainedEntry {
  readonly entry: JournalEntry;
  /** It is about no charge and need not be, or says of its charge what that says. False where it cannot be told. */
  readonly agrees: boolean;
}

export interface Reversal {
  readonly transfer: Transfer;
  readonly reversed: Transfer | null;
}

export interface ReversalResult extends Pick<LedgerCharge, "id" | "state" | "amountMicro"> {
  /** By transfers that reverse its own. */
  readonly reversedMicro: number;
  /** How many entries those belong to. */
  readonly times: number;
}

export interface KeyedCharge extends Pick<LedgerCharge, "id" | "walletId" | "op"> {
  readonly keyHash: string;
}
