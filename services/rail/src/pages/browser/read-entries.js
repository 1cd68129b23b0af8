/** Parses pasted entries: one per line, API pages, or statements. */

/** @typedef {import("./verify-chain.js").WalletEntry} WalletEntry */

/** @param {string} text @returns {{ entries: readonly WalletEntry[], issue: string | null }} */
export function readEntries(text) {
  const whole = parse(text);
  const values =
    whole === undefined
      ? text
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map(parse)
      : [whole];
  const wrong = values.findIndex((value) => entriesOf(value) === null);
  if (wrong >= 0) {
    const subject = whole === undefined ? `Line ${wrong + 1}` : "This";
    return { entries: [], issue: `${subject} is not an entry, a page of entries or a statement.` };
  }
  const entries = values.flatMap((value) => entriesOf(value) ?? []);
  return { entries, issue: entries.length === 0 ? "No entries found." : null };
}

/** @param {unknown} value @returns {readonly WalletEntry[] | null} */
function entriesOf(value) {
  if (isEntry(value)) return [value];
  const list = Array.isArray(value) ? value : isRecord(value) ? (value["items"] ?? value["movements"]) : null;
  if (!Array.isArray(list)) return null;
  const read = list.map(entriesOf);
  return read.every((item) => item !== null) ? read.flat() : null;
}

const TEXTS = ["id", "kind", "created_at", "prev"];
const NUMBERS = ["seq", "amount_micro", "balance_after_micro"];
const TEXTS_OR_NULL = ["charge_id", "topup_id", "reverses", "op"];

/** @param {unknown} value @returns {value is WalletEntry} */
function isEntry(value) {
  return (
    isRecord(value) &&
    TEXTS.every((name) => typeof value[name] === "string") &&
    NUMBERS.every((name) => Number.isSafeInteger(value[name])) &&
    TEXTS_OR_NULL.every((name) => value[name] === null || typeof value[name] === "string")
  );
}

/** @param {string} text @returns {unknown} undefined for what is not JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
