/**
 * A signed copy of the heads of all chains, stored out of reach of anyone who can change the ledger. One head per
 * wallet: a digest over all wallets would be useless once one has moved. Each signed page names its successor. Pages
 * may be from different moments, because an entry never changes.
 */
import { createHash } from "node:crypto";
import type { JournalEntry } from "./entry.ts";
import { entryHash } from "./entry.ts";

/** Wallets per page, and the limit of one comparison. */
export const ANCHOR_PAGE = 1_000;
export const ANCHOR_TYPE = "rail-anchor+jwt";

export interface Head {
  readonly walletId: string;
  readonly seq: number;
  readonly hash: string;
}

/** Canonical form; the digest of a page covers these lines. */
export function headLine({ walletId, seq, hash }: Head): string {
  return `${walletId} ${seq} ${Buffer.from(hash, "hex").toString("base64url")}`;
}

export function parseHead(line: string): Head {
  const [walletId = "", seq = "", hash = ""] = line.split(" ");
  return { walletId, seq: Number(seq), hash: Buffer.from(hash, "base64url").toString("hex") };
}

export interface AnchorPage {
  readonly issuer: string;
  readonly at: number;
  /** The last wallet before this page; empty for the first page. */
  readonly after: string;
  /** The last wallet of this page; null on the last page. */
  readonly next: string | null;
  readonly newestEntryAt: number | null;
  readonly heads: readonly string[];
}

export function anchorClaims({ issuer, at, after, next, newestEntryAt, heads }: AnchorPage) {
  return {
    iss: issuer,
    iat: Math.floor(at / 1000),
    after,
    next,
    newest: newestEntryAt === null ? null : new Date(newestEntryAt).toISOString(),
    wallets: heads.length,
    heads: headsDigest(heads),
  };
}

export function headsDigest(heads: readonly string[]): string {
  return createHash("sha256").update(heads.join("\n")).digest("base64url");
}

export interface HeadIssue {
  readonly walletId: string;
  readonly message: string;
}

/** Returns the heads that the ledger no longer contains. Longer chains are valid. */
export function compareHeads(heads: readonly Head[], entries: readonly JournalEntry[]): HeadIssue[] {
  const found = new Map(entries.map((entry) => [`${entry.walletId} ${entry.seq}`, entry]));
  return heads.flatMap(({ walletId, seq, hash }) => {
    const entry = found.get(`${walletId} ${seq}`);
    if (entry === undefined) return [{ walletId, message: `entry ${seq} is missing` }];
    return entryHash(entry) === hash ? [] : [{ walletId, message: `entry ${seq} differs from the anchored one` }];
  });
}
