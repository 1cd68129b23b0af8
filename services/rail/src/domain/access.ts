/**
 * Authentication and rate limits. A wallet is identified by the hash of its token; operators and services have their
 * own types of tokens. A mistyped token fails its checksum before any lookup.
 */
import type { TokenWallet } from "./ledger.ts";

export interface MintedToken {
  readonly token: string;
  readonly hash: string;
  readonly hint: string;
}

/** `retryAfter` in seconds. */
export type Admission =
  | { readonly admitted: true; readonly fields: Readonly<Record<string, string>> }
  | { readonly admitted: false; readonly fields: Readonly<Record<string, string>>; readonly retryAfter: number };

export interface Access {
  mint(): MintedToken;
  /** Hash of a well-formed token of this mode; otherwise null. */
  hashOf(token: string): string | null;
  /** Finds the open wallet of this token. */
  wallet(token: string): Promise<TokenWallet | null>;
  isService(token: string): boolean;
  isOperator(token: string): boolean;
  /** Whether this is the operator's token for reading and auditing. */
  isReader(token: string): boolean;
  enter(walletId: string, address: string): Promise<Admission>;
  /** Counts a failed authentication. Returns the seconds to wait if the limit is exceeded, otherwise null. */
  failed(address: string): Promise<number | null>;
  /**
   * Counts a request without a credential before its body is read. Returns the seconds to wait if the limit is
   * exceeded, otherwise null.
   */
  anonymous(address: string): number | null;
  /** The same for wallet creations. */
  creating(address: string): Promise<number | null>;
  /** The same for email requests and code redemptions. */
  mailing(address: string): Promise<number | null>;
}
