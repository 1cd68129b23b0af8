/**
 * Sorted strings in two arrays: concatenated UTF-8 bytes and offsets (one more than strings). Byte order, like
 * PostgreSQL's "C" collation. Searched without decoding, so that opening a table of a million words is free.
 */

import { growingUint32 } from "./growable-array.ts";

const PIECE = 1 << 20;
const MOST_BYTES = 3;

export interface StringTable {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export function buildStringTable(sorted: readonly string[]): StringTable {
  const starts = new Uint32Array(sorted.length + 1);
  let length = 0;
  for (const [position, text] of sorted.entries()) {
    length += Buffer.byteLength(text);
    starts[position + 1] = length;
  }
  const bytes = Buffer.alloc(length);
  for (const [position, text] of sorted.entries()) bytes.write(text, starts[position]);
  return { bytes, starts };
}

/** Builds a table from strings in order, without retaining them. */
export function growingStringTable(): { add(text: string): void; finish(): StringTable } {
  const starts = growingUint32();
  const full: Uint8Array[] = [];
  let piece = Buffer.alloc(PIECE);
  let filled = 0;
  let length = 0;
  return {
    add(text) {
      starts.push(length);
      if (text.length * MOST_BYTES > piece.length - filled) {
        full.push(piece.subarray(0, filled));
        piece = Buffer.alloc(Math.max(PIECE, text.length * MOST_BYTES));
        filled = 0;
      }
      const written = piece.write(text, filled);
      filled += written;
      length += written;
    },
    finish() {
      starts.push(length);
      const bytes = Buffer.concat([...full.splice(0), piece.subarray(0, filled)], length);
      const table = { bytes, starts: starts.toArray() };
      starts.clear();
      return table;
    },
  };
}

export function sizeOf(table: StringTable): number {
  return table.starts.length - 1;
}

export function stringAt(table: StringTable, position: number): string {
  const { bytes, starts } = table;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    "utf8",
    starts[position],
    starts[position + 1],
  );
}

/** Position of exactly this string within the range (default: the whole table), or -1. */
export function positionOf(table: StringTable, text: string, within?: Range): number {
  const target = Buffer.from(text);
  const position = lowerBound(table, target, within);
  const found = position < (within?.to ?? sizeOf(table)) && compareAt(table, position, target, false) === 0;
  return found ? position : -1;
}

/** Range of the strings with this prefix; empty at the insertion point if there are none. */
export function prefixRange(table: StringTable, prefix: string, within?: Range): Range {
  const target = Buffer.from(prefix);
  const from = lowerBound(table, target, within);
  let low = from;
  let high = within?.to ?? sizeOf(table);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(table, middle, target, true) <= 0) low = middle + 1;
    else high = middle;
  }
  return { from, to: low };
}

/**
 * Compares in UTF-8 byte order without encoding: UTF-16 units differ from it only for surrogates and U+E000 and above.
 */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codeOrder(left) - codeOrder(right);
  }
  return a.length - b.length;
}

function codeOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function lowerBound(table: StringTable, target: Uint8Array, within?: Range): number {
  let low = within?.from ?? 0;
  let high = within?.to ?? sizeOf(table);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(table, middle, target, false) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareAt(table: StringTable, position: number, target: Uint8Array, asPrefix: boolean): number {
  const { bytes } = table;
  const start = table.starts[position];
  const length = table.starts[position + 1] - start;
  const shared = Math.min(length, target.length);
  for (let at = 0; at < shared; at++) {
    const difference = bytes[start + at] - target[at];
    if (difference !== 0) return difference;
  }
  return asPrefix && length >= target.length ? 0 : length - target.length;
}
