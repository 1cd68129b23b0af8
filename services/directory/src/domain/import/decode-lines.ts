/**
 * Decodes files joined from parts in different encodings: a line not in its file's encoding is decoded as Windows-1252
 * in a UTF-8 file, and vice versa. Only a line's own bytes decide, so chunk boundaries do not matter.
 */
import { isUtf8 } from "node:buffer";

export type TextEncoding = "utf-8" | "windows-1252";

export interface ForeignLines {
  readonly encoding: TextEncoding;
  readonly first: number;
  count: number;
}

/** Maximum bytes of an undecided line: a GeoJSON file may be a single line. */
const LINE_BYTES_MAX = 1 << 20;
const NEWLINE = 0x0a;
/** UTF-8 read as Windows-1252; French texts in Windows-1252 do not contain these letters. */
const UTF8_AS_LATIN = /[ÂÃÅâ]/;
/** Characters of French texts. Others that UTF-8 could mean are more likely two Windows-1252 characters ("É »"). */
const FRENCH_LETTER = /[\u00A0-\u00FF\u0152\u0153\u0178\u2010-\u203F\u20AC]/g;
const NOT_FRENCH = /[^\0-\u007F\u00A0-\u00FF\u0152\u0153\u0178\u2010-\u203F\u20AC]/;

export async function* decodeLines(
  source: AsyncIterable<Uint8Array>,
  { encoding, startLine }: { readonly encoding: TextEncoding; readonly startLine: number },
  onForeign: (lines: ForeignLines) => void,
): AsyncGenerator<Uint8Array> {
  const other = encoding === "utf-8" ? "windows-1252" : "utf-8";
  let lineNumber = startLine;
  let foreign: ForeignLines | null = null;
  const decodeLine = (line: Uint8Array): Uint8Array => {
    const isForeign = encoding === "utf-8" ? isWindows1252(line) : isFrenchUtf8(line);
    if (isForeign) {
      foreign ??= { encoding: other, first: lineNumber, count: 0 };
      foreign.count++;
      onForeign(foreign);
    }
    if (line.at(-1) === NEWLINE) lineNumber++;
    return isForeign === (encoding === "utf-8") ? fromWindows1252(line) : line;
  };
  for await (const block of wholeLines(source)) {
    if (hasSingleEncoding(block, encoding)) {
      lineNumber += countLines(block);
      yield encoding === "utf-8" ? block : fromWindows1252(block);
    } else yield Buffer.concat(splitLines(block).map(decodeLine));
  }
}

/** Latin-1 read as UTF-8 is mostly errors; UTF-8 with a few damaged bytes is mostly letters. */
export function couldBeUtf8(bytes: Uint8Array, isCut: boolean): boolean {
  // `stream`: a letter cut at the end is not an error.
  const text = new TextDecoder("utf-8").decode(bytes, { stream: isCut });
  return count(text, /\uFFFD/g) * 4 <= count(text, /[\u0080-\uFFFC]/g);
}

/** In a UTF-8 file, a damaged byte next to a valid multi-byte letter is an error of a UTF-8 line. */
function isWindows1252(line: Uint8Array): boolean {
  const text = new TextDecoder("utf-8").decode(line);
  return count(text, /\uFFFD/g) > count(text, FRENCH_LETTER) * 4;
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}

export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

function isFrenchUtf8(line: Uint8Array): boolean {
  if (!isUtf8(line)) return false;
  const text = Buffer.from(line).toString();
  return text.length < line.length && !NOT_FRENCH.test(text);
}

function hasSingleEncoding(block: Uint8Array, encoding: TextEncoding): boolean {
  return encoding === "utf-8" ? isUtf8(block) : !UTF8_AS_LATIN.test(Buffer.from(block).toString("latin1"));
}

function fromWindows1252(bytes: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder("windows-1252").decode(bytes));
}

function splitLines(block: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = block.indexOf(NEWLINE) + 1; end > 0; end = block.indexOf(NEWLINE, start) + 1) {
    lines.push(block.subarray(start, end));
    start = end;
  }
  if (start < block.length) lines.push(block.subarray(start));
  return lines;
}

/** Blocks that end with a line, except the last one and parts of overlong lines. */
async function* wholeLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield Buffer.concat([...parts.splice(0), chunk.subarray(0, end)]);
    if (end > 0) size = 0;
    parts.push(chunk.slice(end));
    size += chunk.length - end;
    while (size >= LINE_BYTES_MAX) {
      const line = Buffer.concat(parts);
      const cut = letterStart(line, LINE_BYTES_MAX);
      yield line.subarray(0, cut);
      parts = [line.subarray(cut)];
      size -= cut;
    }
  }
  if (size > 0) yield Buffer.concat(parts);
}

function letterStart(bytes: Uint8Array, at: number): number {
  let start = at - 1;
  while (start > at - 4 && (bytes[start] & 0xc0) === 0x80) start--;
  return bytes[start] >= 0xc0 ? start : at;
}
