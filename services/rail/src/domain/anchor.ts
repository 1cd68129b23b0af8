/**
 * An anchor is a signed copy of the heads of all chains, stored out of reach of anyone who can change the ledger. It
 * lists one head per wallet, because a single digest over all wallets would stop matching at the next entry. Each
 * signed page names the start of the next one. Pages may be read at different times, because entries never change.
 */
import { createHash } from "node:crypto";
import type { JournalEntry } from "./entry.ts";
import { entryHash } from "./entry.ts";

/** Maximum number of heads in a page, and in a request that compares them. */
export const ANCHOR_HEADS_MAX = 1_000;
export const ANCHOR_TYPE = "rail-anchor+jwt";

/** The last entry of a wallet's chain. */
export interface Head {
  readonly walletId: string;
  readonly seq: number;
  /** Hex SHA-256. */
  readonly hash: string;
}

/** A line of a page; the page's digest covers its lines. */
export function formatHead({ walletId, seq, hash }: Head): string {
  return `${walletId} ${seq} ${Buffer.from(hash, "hex").toString("base64url")}`;
}

export function parseHead(line: string): Head {
  const [walletId = "", seq = "", hash = ""] = line.split(" ");
  return { walletId, seq: Number(seq), hash: Buffer.from(hash, "base64url").toString("hex") };
}

export interface AnchorPage {
  readonly issuer: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** ID of the last wallet of the previous page; empty on the first page. */
  readonly after: string;
  /** ID of the last wallet of this page; null on the last page. */
  readonly next: string | null;
  readonly newestEntryAt: number | null;
  /** Lines of `formatHead`. */
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

/** Reports each head whose entry is missing or different. A chain that has grown since is valid. */
export function compareHeads(heads: readonly Head[], entries: readonly JournalEntry[]): HeadIssue[] {
  const found = new Map(entries.map((entry) => [`${entry.walletId} ${entry.seq}`, entry]));
  return heads.flatMap(({ walletId, seq, hash }) => {
    const entry = found.get(`${walletId} ${seq}`);
    if (entry === undefined) return [{ walletId, message: `entry ${seq} is missing` }];
    return entryHash(entry) === hash ? [] : [{ walletId, message: `entry ${seq} differs from the anchor` }];
  });
}
