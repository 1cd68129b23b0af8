/**
 * Checks the entries of one wallet as its owner has them, without the rail: no gap, each carries half of the hash of the one
 * before, each balance follows from the one before, and what is undone was there, by the same amount, once. The whole hash of an
 * entry needs that of the entry before, so a chain is checked from its first entry on.
 */
import { FIRST_PREV, hashOfShown, shownPrev, type ShownEntry } from "./entry.ts";

export interface ChainReport {
  readonly entries: number;
  readonly balanceMicro: number;
  /** Sentences, in the order of the entries; at most `FAULTS_MAX`. */
  readonly faults: readonly string[];
}

/** Behind the first broken link everything is broken: more faults say nothing more. */
const FAULTS_MAX = 20;

/** In any order: a page of the API is newest first, a file may be either way. */
export function checkChain(entries: readonly ShownEntry[]): ChainReport {
  const faults: string[] = [];
  const charges = new Map<string, number>();
  let before = { seq: 0, hash: FIRST_PREV, balanceMicro: 0 };
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    faults.push(...linkFaults(entry, before), ...undoFaults(entry, charges));
    if (entry.kind === "charge") charges.set(entry.id, entry.amount_micro);
    before = { seq: entry.seq, hash: hashOfShown(entry, before.hash), balanceMicro: entry.balance_after_micro };
    if (faults.length >= FAULTS_MAX) break;
  }
  return { entries: entries.length, balanceMicro: before.balanceMicro, faults: faults.slice(0, FAULTS_MAX) };
}

function linkFaults(
  entry: ShownEntry,
  before: { readonly seq: number; readonly hash: string; readonly balanceMicro: number },
): string[] {
  const name = `entry ${entry.seq} (${entry.id})`;
  if (entry.seq === before.seq) return [`${name} is there twice`];
  const expected = before.balanceMicro + entry.amount_micro;
  return [
    ...(entry.seq === before.seq + 1 ? [] : [`${missing(before.seq + 1, entry.seq - 1)} before ${name}`]),
    ...(entry.prev === shownPrev(before.hash) ? [] : [`${name} does not carry the hash of the entry before it`]),
    ...(entry.balance_after_micro === expected
      ? []
      : [`${name} leaves ${entry.balance_after_micro} micro-euros, ${expected} would follow from the entry before it`]),
  ];
}

function missing(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}

/** A charge that was undone is taken off the list, so that it is undone once. */
function undoFaults(entry: ShownEntry, charges: Map<string, number>): string[] {
  if (entry.charge_id === null || (entry.kind !== "void" && entry.kind !== "refund")) return [];
  const name = `the ${entry.kind} ${entry.seq} (${entry.id})`;
  const undone = charges.get(entry.reverses ?? "");
  if (undone === undefined) return [`${name} undoes no charge of this wallet, or one that was undone before`];
  charges.delete(entry.reverses ?? "");
  return entry.amount_micro === -undone ? [] : [`${name} gives back ${entry.amount_micro}, ${-undone} were taken`];
}
