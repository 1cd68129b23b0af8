/**
 * French telephone numbers -> E.164. The overseas départements have country codes of their own, told by the first four digits
 * (source: Arcep, plan national de numérotation). Anything that is not exactly one number stays as imported.
 */
import { notesOf } from "./rules.ts";
import { cleanLine, type Cell } from "./text.ts";

/** National prefix -> country code. */
const OVERSEAS: Readonly<Record<string, string>> = {
  "0262": "262",
  "0263": "262",
  "0269": "262",
  "0639": "262",
  "0692": "262",
  "0693": "262",
  "0590": "590",
  "0690": "590",
  "0691": "590",
  "0594": "594",
  "0694": "594",
  "0596": "596",
  "0696": "596",
  "0697": "596",
  "0976": "262",
};
const LONGEST = 100;

export function cleanPhone(raw: string, { column, notes }: Cell): string | null {
  const text = cleanLine(raw, { column, notes: notesOf(1) });
  if (text === "") return null;
  const number = e164(text.replace(/^(?:t[ée]l(?:[ée]phone)?)[\s.:]*/i, ""));
  if (number !== null) return number;
  notes.note("phone_as_imported", { column, value: "(not shown)", result: "(not shown)" });
  return text.slice(0, LONGEST);
}

function e164(text: string): string | null {
  if (!/^\+?[\d .()\-–/]+$/.test(text)) return null;
  const digits = text.replace(/^(\+|00)\s*33\s*\(0\)/, "+33").replaceAll(/[ .()\-–/]/g, "");
  const abroad = digits.replace(/^00/, "+");
  if (abroad.startsWith("+33")) return national(`0${abroad.slice(3).replace(/^0/, "")}`);
  if (abroad.startsWith("+")) return /^\+[1-9]\d{6,14}$/.test(abroad) ? abroad : null;
  // A number column of a spreadsheet loses the leading zero.
  return national(digits.length === 9 && /^[1-9]/.test(digits) ? `0${digits}` : digits);
}

function national(digits: string): string | null {
  if (!/^0[1-9]\d{8}$/.test(digits)) return null;
  return `+${OVERSEAS[digits.slice(0, 4)] ?? "33"}${digits.slice(1)}`;
}
