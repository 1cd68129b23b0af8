/**
 * Checks L8, and L2 for wallets and charges. A fast first pass only detects whether there may be a fault; if so, a
 * second pass names each one. The first pass may report false positives, but never misses a fault.
 */
import type { LedgerWallet } from "./unit-of-work.ts";
import { entryHash, FIRST_PREV, type JournalEntry } from "./entry.ts";
import type { ChargeFacts, LedgerPages } from "./ledger-pages.ts";

export interface Violation {
  readonly invariant: "L1" | "L2" | "L3" | "L4" | "L5" | "L8" | "receipt";
  readonly subject: string;
  readonly message: string;
}

export type Found = (invariant: Violation["invariant"], subject: string, message: string) => void;

export interface EntryCounts {
  readonly entries: number;
  /** Number of entries about charges. */
  readonly charged: number;
}

/** Wallets are split into `parts`; each part reads all rows. */
export async function auditEntries(pages: LedgerPages, found: Found, parts: number): Promise<EntryCounts> {
  const counts = { entries: 0, charged: 0 };
  for (let part = 0; part < parts; part++) {
    const isMine = (walletId: string) => parts === 1 || partOf(walletId, parts) === part;
    const proven = await proveChains(pages, isMine);
    if (proven === null) return await nameFaults(pages, found);
    counts.entries += proven.entries;
    counts.charged += proven.charged;
  }
  return counts;
}

export function partOf(name: string, parts: number): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  return (hash >>> 0) % parts;
}

/** Returns null if a fault is possible, so that the second pass must decide. */
async function proveChains(pages: LedgerPages, isMine: (walletId: string) => boolean): Promise<EntryCounts | null> {
  const ends = new Map<string, Link>();
  const early = new Map<string, JournalEntry>();
  let entries = 0;
  let charged = 0;
  for await (const page of pages.chained()) {
    for (const { entry, agrees } of page) {
      const { walletId, seq } = entry;
      if (!isMine(walletId)) continue;
      if (!agrees) return null;
      let last = ends.get(walletId) ?? BEFORE_FIRST;
      const name = nameOf(walletId, seq);
      if (seq > last.seq + 1 && early.size < EARLY_MAX && !early.has(name)) {
        early.set(name, entry);
        continue;
      }
      for (
        let next: JournalEntry | undefined = entry;
        next !== undefined;
        next = takeEarly(early, walletId, last.seq + 1)
      ) {
        if (!follows(next, last)) return null;
        entries += 1;
        if (next.kind === "charge") charged += 1;
        last = { seq: next.seq, head: entryHash(next), balanceMicro: next.balanceAfterMicro };
      }
      ends.set(walletId, last);
    }
  }
  if (early.size > 0) return null;
  for await (const page of pages.wallets()) {
    for (const { id, seq, head, paidMicro, promoMicro } of page) {
      if (!isMine(id)) continue;
      const last = ends.get(id) ?? BEFORE_FIRST;
      if (seq !== last.seq || head !== last.head || paidMicro + promoMicro !== last.balanceMicro) return null;
      ends.delete(id);
    }
  }
  return ends.size === 0 ? { entries, charged } : null;
}

/**
 * Maximum number of entries read before their predecessor. Concurrent writers reorder about a page, never the whole
 * table.
 */
const EARLY_MAX = 100_000;

function takeEarly(early: Map<string, JournalEntry>, walletId: string, seq: number): JournalEntry | undefined {
  if (early.size === 0) return undefined;
  const name = nameOf(walletId, seq);
  const entry = early.get(name);
  early.delete(name);
  return entry;
}

function nameOf(walletId: string, seq: number): string {
  return `${seq} ${walletId}`;
}

function follows({ seq, prev, amountMicro, balanceAfterMicro }: JournalEntry, last: Link): boolean {
  return seq === last.seq + 1 && prev === last.head && balanceAfterMicro === last.balanceMicro + amountMicro;
}

async function nameFaults(pages: LedgerPages, found: Found): Promise<EntryCounts> {
  const wallets = each(pages.wallets());
  const next = async () => {
    const { value, done } = await wallets.next();
    return done === true ? null : value;
  };
  let wallet = await next();
  let last = BEFORE_FIRST;
  let entries = 0;
  let charged = 0;
  for await (const page of pages.entries()) {
    for (const { entry, charge } of page) {
      while (wallet !== null && wallet.id !== entry.walletId) {
        auditHead(wallet, last, found);
        wallet = await next();
        last = BEFORE_FIRST;
      }
      if (wallet === null) {
        found("L8", entry.id, `the wallet ${entry.walletId} of the entry does not exist`);
        return { entries, charged };
      }
      entries += 1;
      if (entry.kind === "charge") charged += 1;
      auditLink(entry, last, found);
      auditAbout(entry, charge, found);
      last = { seq: entry.seq, head: entryHash(entry), balanceMicro: entry.balanceAfterMicro };
    }
  }
  for (; wallet !== null; wallet = await next(), last = BEFORE_FIRST) auditHead(wallet, last, found);
  return { entries, charged };
}

interface Link {
  readonly seq: number;
  readonly head: string;
  readonly balanceMicro: number;
}

const BEFORE_FIRST: Link = { seq: 0, head: FIRST_PREV, balanceMicro: 0 };

function auditHead({ id, seq, head, paidMicro, promoMicro }: LedgerWallet, last: Link, found: Found): void {
  if (seq !== last.seq) found("L8", id, `the wallet counts ${seq} entries, the last entry is ${last.seq}`);
  else if (head !== last.head) found("L8", id, `the head of the wallet is not the hash of entry ${last.seq}`);
  const balanceMicro = paidMicro + promoMicro;
  if (balanceMicro !== last.balanceMicro)
    found("L2", id, `the wallet balance is ${balanceMicro}, its last entry has ${last.balanceMicro}`);
}

function auditLink(entry: JournalEntry, last: Link, found: Found): void {
  const name = `entry ${entry.seq} of ${entry.walletId}`;
  if (entry.seq !== last.seq + 1) found("L8", entry.id, `${name} follows entry ${last.seq}`);
  if (entry.prev !== last.head) found("L8", entry.id, `${name} does not contain the hash of the previous entry`);
  if (entry.balanceAfterMicro !== last.balanceMicro + entry.amountMicro)
    found(
      "L8",
      entry.id,
      `${name} has balance ${entry.balanceAfterMicro} after ${last.balanceMicro} and amount ${entry.amountMicro}`,
    );
}

/** An entry must match its charge; a reversal must cover the whole charge. */
function auditAbout(entry: JournalEntry, charge: ChargeFacts | null, found: Found): void {
  const { id, kind, chargeId } = entry;
  if (chargeId === null) {
    if (kind === "charge" || kind === "void") found("L2", id, `the ${kind} has no charge`);
    else if (entry.tokenId !== null) found("L2", id, `the ${kind} names the token ${entry.tokenId}`);
    return;
  }
  if (charge === null) return found(kind === "charge" ? "L2" : "L5", id, `the charge ${chargeId} does not exist`);
  if (kind === "charge") {
    const agrees =
      charge.entryId === id &&
      charge.walletId === entry.walletId &&
      charge.tokenId === entry.tokenId &&
      charge.walletSeq === entry.seq &&
      charge.prev === entry.prev &&
      charge.amountMicro === -entry.amountMicro &&
      charge.balanceAfterMicro === entry.balanceAfterMicro;
    if (!agrees) found("L2", chargeId, `the charge differs from its entry ${id}`);
    return;
  }
  const state = kind === "void" ? "voided" : "refunded";
  if (charge.state !== state) found("L5", chargeId, `the charge has a ${kind}, but its state is ${charge.state}`);
  if (entry.amountMicro !== charge.amountMicro)
    found("L5", chargeId, `the charge amount is ${charge.amountMicro}, the ${kind} amount ${entry.amountMicro}`);
  if (entry.reverses !== charge.entryId || entry.walletId !== charge.walletId)
    found("L5", chargeId, `the ${kind} ${id} reverses another entry`);
  if (entry.tokenId !== charge.tokenId) found("L5", chargeId, `the ${kind} ${id} names another token`);
}

async function* each<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}
