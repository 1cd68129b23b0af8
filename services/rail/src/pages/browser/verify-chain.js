/**
 * Verifies the entries of a wallet offline: no gap, each contains half of the previous hash, each balance follows from
 * the previous one, each reversal matches an earlier charge once. The full hash needs the previous one, so a chain is
 * verified from its first entry. Shared with `triptych rail receipt chain`.
 */
import { bytesDigest, canonical, encode } from "./verify-receipt.js";

/**
 * @typedef {object} WalletEntry
 * @property {string} id
 * @property {number} seq
 * @property {string} kind
 * @property {number} amount_micro
 * @property {number} balance_after_micro
 * @property {string | null} charge_id
 * @property {string | null} topup_id
 * @property {string | null} reverses
 * @property {string | null} op
 * @property {string} created_at
 * @property {string} prev
 */
/** @typedef {{ seq: number, hash: Uint8Array<ArrayBuffer>, balanceMicro: number }} Link */
/** @typedef {{ entries: number, balanceMicro: number, issues: readonly string[] }} ChainReport sentences in the order of the entries */

/** After the first broken link all others fail too. */
const ISSUES_MAX = 20;
const HASH_BYTES = 32;
/** Bytes of the previous hash in an entry. */
const PREV_BYTES = 16;

/**
 * In any order: API pages are newest first, files either way.
 * @param {readonly WalletEntry[]} entries
 * @returns {Promise<ChainReport>}
 */
export async function verifyChain(entries) {
  /** @type {string[]} */
  const issues = [];
  /** @type {Map<string, number>} */
  const charges = new Map();
  /** @type {Link} */
  let before = { seq: 0, hash: new Uint8Array(HASH_BYTES), balanceMicro: 0 };
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    issues.push(...linkFaults(entry, before), ...undoFaults(entry, charges));
    if (entry.kind === "charge") charges.set(entry.id, entry.amount_micro);
    before = { seq: entry.seq, hash: await entryHash(entry, before.hash), balanceMicro: entry.balance_after_micro };
    if (issues.length >= ISSUES_MAX) break;
  }
  return { entries: entries.length, balanceMicro: before.balanceMicro, issues: issues.slice(0, ISSUES_MAX) };
}

/**
 * SHA-256 over the canonical JSON of the entry without `prev`, followed by the previous hash.
 * @param {WalletEntry} entry @param {Uint8Array} prev
 */
function entryHash(entry, prev) {
  const { prev: _, ...members } = entry;
  const text = new TextEncoder().encode(canonical(members));
  const bytes = new Uint8Array(text.length + prev.length);
  bytes.set(text);
  bytes.set(prev, text.length);
  return bytesDigest(bytes);
}

/** @param {WalletEntry} entry @param {Link} before @returns {string[]} */
function linkFaults(entry, before) {
  const name = `entry ${entry.seq} (${entry.id})`;
  if (entry.seq === before.seq) return [`${name} occurs twice`];
  const expected = before.balanceMicro + entry.amount_micro;
  return [
    ...(entry.seq === before.seq + 1 ? [] : [`${missing(before.seq + 1, entry.seq - 1)} before ${name}`]),
    ...(entry.prev === encode(before.hash.subarray(0, PREV_BYTES))
      ? []
      : [`${name} does not contain the hash of the previous entry`]),
    ...(entry.balance_after_micro === expected
      ? []
      : [`${name} has a balance of ${entry.balance_after_micro} micro-euros, expected ${expected}`]),
  ];
}

/** @param {number} from @param {number} to */
function missing(from, to) {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}

/**
 * Removes a reversed charge from the map, so that it is reversed once.
 * @param {WalletEntry} entry @param {Map<string, number>} charges @returns {string[]}
 */
function undoFaults(entry, charges) {
  if (entry.charge_id === null || (entry.kind !== "void" && entry.kind !== "refund")) return [];
  const name = `the ${entry.kind} ${entry.seq} (${entry.id})`;
  const undone = charges.get(entry.reverses ?? "");
  if (undone === undefined) return [`${name} reverses no charge of this wallet, or one already reversed`];
  charges.delete(entry.reverses ?? "");
  return entry.amount_micro === -undone ? [] : [`${name} returns ${entry.amount_micro} of a charge of ${-undone}`];
}
