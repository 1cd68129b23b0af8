/**
 * Who may ask the rail, and how often. A wallet is known by the hash of its token; operators and services by a token of their own.
 * Tokens that are mistyped fail by their checksum, before anything is looked up.
 */
import type { WalletRecord } from "./ledger.ts";

export interface MintedToken {
  /** Shown once, kept nowhere. */
  readonly token: string;
  readonly hash: string;
  /** Its last symbols. */
  readonly hint: string;
}

/** `retryAfter`: seconds after which a request is accepted. */
export type Admission =
  | { readonly admitted: true; readonly fields: Readonly<Record<string, string>> }
  | { readonly admitted: false; readonly fields: Readonly<Record<string, string>>; readonly retryAfter: number };

export interface Access {
  /** A new token of this mode. */
  mint(): MintedToken;
  /** Hash of a well-formed token of this mode, else null. */
  hashOf(token: string): string | null;
  /** The open wallet of this token. */
  wallet(token: string): Promise<WalletRecord | null>;
  isService(token: string): boolean;
  isOperator(token: string): boolean;
  /** Counts a request of a wallet. */
  enter(walletId: string, address: string): Promise<Admission>;
  /** Counts a failed authentication: seconds to wait when there were too many, else null. */
  failed(address: string): Promise<number | null>;
  /** Counts a request without a credential, before it is read: seconds to wait when there were too many, else null. */
  anonymous(address: string): number | null;
  /** Counts the making of a wallet: seconds to wait when there were too many, else null. */
  creating(address: string): Promise<number | null>;
  /** Counts what concerns mails (asked for, or their codes): seconds to wait when there was too much, else null. */
  mailing(address: string): Promise<number | null>;
}
