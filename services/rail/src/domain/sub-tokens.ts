/** Tokens of wallets: the rotation of the main token, and sub-tokens that pay within their own caps. */
import type { Caps } from "./caps.ts";
import type { SubToken } from "./unit-of-work.ts";

/** A sub-token with the fields that charges do not need. The record stays after the token ends. */
export interface SubTokenRecord extends SubToken {
  readonly name: string;
  readonly hint: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewSubToken extends Pick<SubTokenRecord, "id" | "walletId" | "tokenHash" | "hint" | "name"> {
  readonly caps: Caps;
  readonly ops: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly now: number;
}

export interface SubTokenLedger {
  createSubToken(token: NewSubToken): Promise<SubTokenRecord | "closed" | "too_many">;
  subToken(id: string): Promise<SubTokenRecord | null>;
  /** Newest first, including expired and revoked ones. */
  subTokens(
    walletId: string,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<readonly SubTokenRecord[]>;
  /** Returns false if the wallet has no such token, or it was already revoked. */
  revokeSubToken(walletId: string, id: string, now: number): Promise<boolean>;
}

export interface TokenRotation {
  /**
   * The calling token must still be valid when the lock is held, by the clock at that moment. Otherwise, if two
   * rotations without grace ran concurrently, the later one would end the other's new token.
   */
  readonly asking?: { readonly tokenHash: string; readonly clock: () => number };
  readonly tokenHash: string;
  readonly tokenHint: string;
  /** When all older tokens end. */
  readonly previousUntil: number;
  readonly now: number;
}
