/** Cleans the text of cells. Most are clean, so one check for suspicious characters comes first. */
import { htmlToText } from "./html.ts";
import type { Notes } from "./rules.ts";

const SUSPICIOUS =
  /[<&\u0000-\u001F\u007F-\u00A0\u00AD\u1680\u180E\u2000-\u200F\u2028-\u202F\u205F-\u2064\u3000\uFEFF\uFFFD]| {2}|^ | $/;
/** Control characters except tab, line feed and carriage return; invisible direction and width marks; soft hyphen. */
const CONTROLS =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/** Any space but the line feed, unless it is a single plain one. */
const SPACES =
  /[\t\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000][\t \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]*| [\t \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+/g;

export interface Cell {
  readonly column: string;
  readonly notes: Notes;
}

/** One line of plain text; `breaks` replaces line ends and block tags. */
export function cleanLine(raw: string, cell: Cell, breaks = " "): string {
  if (!SUSPICIOUS.test(raw)) return raw;
  const lines = cleanText(raw, cell).split(/\n+/);
  return lines.length === 1 ? lines[0] : lines.filter((line) => line !== "").join(breaks);
}

export function cleanText(raw: string, cell: Cell): string {
  if (!SUSPICIOUS.test(raw)) return raw;
  // Control characters first: an invisible one inside `<\u200Bscript>` would hide the tag.
  return normalizeSpaces(withoutMarkup(withoutControls(raw, cell), cell));
}

function withoutMarkup(raw: string, { column, notes }: Cell): string {
  if (!/[<&]/.test(raw)) return raw;
  const { text, hadMarkup, hadEntities } = htmlToText(raw, onlyText);
  if (hadMarkup) notes.note("html_stripped", { column, value: raw, result: text.trim() });
  else if (hadEntities) notes.note("entities_decoded", { column, value: raw, result: text.trim() });
  return text;
}

function onlyText(text: string): string {
  return text.replaceAll(LINE_ENDS, "\n").replaceAll(CONTROLS, "");
}

function withoutControls(text: string, { column, notes }: Cell): string {
  if (text.includes("\uFFFD")) notes.note("bytes_undecodable", { column, value: text, result: text });
  const lines = text.replaceAll(LINE_ENDS, "\n");
  const plain = lines.replaceAll(CONTROLS, "");
  if (plain !== lines) notes.note("control_characters_removed", { column, value: JSON.stringify(text), result: plain });
  return plain;
}

function normalizeSpaces(text: string): string {
  return text
    .replaceAll(SPACES, " ")
    .replaceAll(/ \n ?|\n /g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** At most `most` UTF-16 units, cut after a whole word, with an ellipsis; reported. */
export function shortened(text: string, most: number, { column, notes }: Cell): string {
  if (text.length <= most) return text;
  const short = cutAtSpace(text, most);
  notes.note("text_shortened", { column, value: `${text.length} characters`, result: `${short.length} characters` });
  return short;
}

/** The start of a text as its summary: whole sentences if they fill at least a third, else whole words. */
export function summaryOf(description: string, most: number): string {
  const line = description.replaceAll("\n", " ").replaceAll(/ {2,}/g, " ");
  if (line.length <= most) return line;
  const head = line.slice(0, most);
  const end = Math.max(head.lastIndexOf(". "), head.lastIndexOf("! "), head.lastIndexOf("? "), head.lastIndexOf("… "));
  return end >= most / 3 ? head.slice(0, end + 1) : cutAtSpace(line, most);
}

function cutAtSpace(text: string, most: number): string {
  // One more character than fits: a space there means that the last word is complete.
  const head = text.slice(0, most);
  const space = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  const end = space > most / 2 ? space : most - 1;
  return `${head
    .slice(0, end)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}
