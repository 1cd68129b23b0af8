/**
 * Verifies the entries of a wallet offline: there are no gaps, each entry contains half of the previous hash, each
 * balance follows from the previous one, and each reversal matches one earlier charge. Each hash depends on the
 * previous one, so verification starts at the first entry.
 */
import type { listEntries, AnswerOf } from "@triptych/contracts";
import { bytesDigest, canonical, encode } from "./receipt.js";

export type WalletEntry = AnswerOf<typeof listEntries>["items"][number];

export interface ChainIssue {
  /** `gap`: the entries `expected` to `found` are missing before this one. */
  readonly code: "duplicate" | "gap" | "hash" | "balance" | "reversal" | "reversal_amount";
  readonly entry: Pick<WalletEntry, "id" | "kind" | "seq">;
  /** Micro-euros, or numbers of entries; zero where the code needs none. */
  readonly expected: number;
  readonly found: number;
}

export interface ChainReport {
  readonly entries: number;
  readonly balanceMicro: number;
  /** In entry order. */
  readonly issues: readonly ChainIssue[];
}

interface Link {
  readonly seq: number;
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly balanceMicro: number;
}

/** After the first broken link, all later ones fail too. */
const ISSUES_MAX = 20;
const HASH_BYTES = 32;
/** Bytes of the previous hash in an entry. */
const PREV_BYTES = 16;

/** Entries in any order: API pages are newest first, files can be either way. */
export async function verifyChain(entries: readonly WalletEntry[]): Promise<ChainReport> {
  const issues: ChainIssue[] = [];
  const charges = new Map<string, number>();
  let before: Link = { seq: 0, hash: new Uint8Array(HASH_BYTES), balanceMicro: 0 };
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    issues.push(...linkIssues(entry, before), ...reversalIssues(entry, charges));
    if (entry.kind === "charge") charges.set(entry.id, entry.amount_micro);
    before = { seq: entry.seq, hash: await entryHash(entry, before.hash), balanceMicro: entry.balance_after_micro };
    if (issues.length >= ISSUES_MAX) break;
  }
  return { entries: entries.length, balanceMicro: before.balanceMicro, issues: issues.slice(0, ISSUES_MAX) };
}

/** SHA-256 over the canonical JSON of the entry without `prev`, followed by the previous hash. */
function entryHash(entry: WalletEntry, prev: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { prev: _, ...members } = entry;
  const text = new TextEncoder().encode(canonical(members));
  const bytes = new Uint8Array(text.length + prev.length);
  bytes.set(text);
  bytes.set(prev, text.length);
  return bytesDigest(bytes);
}

function linkIssues(entry: WalletEntry, before: Link): readonly ChainIssue[] {
  const { seq, prev, balance_after_micro: found } = entry;
  if (seq === before.seq) return [{ code: "duplicate", entry, expected: 0, found: 0 }];
  const expected = before.balanceMicro + entry.amount_micro;
  return [
    ...(seq === before.seq + 1 ? [] : [{ code: "gap" as const, entry, expected: before.seq + 1, found: seq - 1 }]),
    ...(prev === encode(before.hash.subarray(0, PREV_BYTES))
      ? []
      : [{ code: "hash" as const, entry, expected: 0, found: 0 }]),
    ...(found === expected ? [] : [{ code: "balance" as const, entry, expected, found }]),
  ];
}

/** Removes a reversed charge from the map, so that it is reversed once. */
function reversalIssues(entry: WalletEntry, charges: Map<string, number>): readonly ChainIssue[] {
  if (entry.charge_id === null || (entry.kind !== "void" && entry.kind !== "refund")) return [];
  const charged = charges.get(entry.reverses ?? "");
  if (charged === undefined) return [{ code: "reversal", entry, expected: 0, found: 0 }];
  charges.delete(entry.reverses ?? "");
  const found = entry.amount_micro;
  return found === -charged ? [] : [{ code: "reversal_amount", entry, expected: -charged, found }];
}
