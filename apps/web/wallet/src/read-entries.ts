/** Parses pasted entries: one per line, API pages, or statements. */
import type { WalletEntry } from "@triptych/client/entry-chain";

export interface ReadEntries {
  readonly entries: readonly WalletEntry[];
  /** The first invalid line; 0 if the text as a whole is invalid, null if all is valid. */
  readonly wrongLine: number | null;
}

export function readEntries(text: string): ReadEntries {
  const whole = parse(text);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = whole === undefined ? lines.map(parse) : [whole];
  const read = values.map(entriesOf);
  const wrong = read.indexOf(null);
  if (wrong >= 0) return { entries: [], wrongLine: whole === undefined ? wrong + 1 : 0 };
  return { entries: read.flatMap((entries) => entries ?? []), wrongLine: null };
}

function entriesOf(value: unknown): readonly WalletEntry[] | null {
  if (isEntry(value)) return [value];
  const list = Array.isArray(value) ? value : isRecord(value) ? (value["items"] ?? value["movements"]) : null;
  if (!Array.isArray(list)) return null;
  const read = list.map(entriesOf);
  return read.every((item) => item !== null) ? read.flat() : null;
}

const TEXTS = ["id", "kind", "created_at", "prev"];
const NUMBERS = ["seq", "amount_micro", "balance_after_micro"];
const TEXTS_OR_NULL = ["charge_id", "topup_id", "reverses", "op"];

function isEntry(value: unknown): value is WalletEntry {
  return (
    isRecord(value) &&
    TEXTS.every((name) => typeof value[name] === "string") &&
    NUMBERS.every((name) => Number.isSafeInteger(value[name])) &&
    TEXTS_OR_NULL.every((name) => value[name] === null || typeof value[name] === "string")
  );
}

/** Undefined for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
