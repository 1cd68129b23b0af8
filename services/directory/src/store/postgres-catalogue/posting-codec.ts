/**
 * Lists of ids as text of one-byte characters. PostgreSQL returns text unchanged, while bytea travels as hex: twice the
 * size, and slower to encode and decode than everything else. Characters are 1 to 127, because text cannot contain 0.
 *
 * - list: the distance to the previous id (from -1), followed by its impact if the list has impacts. Varint with the
 * lowest six bits first; a character from 64 on means that more follow. Two or three characters per posting of a
 * frequent word.
 * - column: one number per id in a fixed number of characters, highest digit first, for random access
 */
const BITS = 6;
const LOW = 63;
const MORE = 64;

export const ENTRY_MOST = 8;

/** Appends entries to `into`, which must be large enough; returns the end. `before`: the last id written. */
export function writeEntries(
  into: Uint8Array,
  { ids, impacts, before }: { ids: Uint32Array; impacts: Uint8Array | null; before: number },
): number {
  let at = 0;
  let last = before;
  for (let i = 0; i < ids.length; i++) {
    at = writeNumber(into, at, ids[i] - last);
    if (impacts !== null) at = writeNumber(into, at, impacts[i]);
    last = ids[i];
  }
  return at;
}

function writeNumber(into: Uint8Array, at: number, number: number): number {
  let rest = number;
  while (rest > LOW) {
    into[at++] = MORE | (rest & LOW);
    rest >>>= BITS;
  }
  into[at++] = rest;
  return at;
}

export interface Postings {
  readonly ids: Uint32Array;
  readonly impacts: Uint8Array;
}

export function readPostings(text: Uint8Array, count: number): Postings {
  const ids = new Uint32Array(count);
  const impacts = new Uint8Array(count);
  let id = -1;
  for (let at = 0, i = 0; i < count; i++) {
    let part = text[at++];
    id += part & LOW;
    for (let shift = BITS; part >= MORE; shift += BITS) id += ((part = text[at++]) & LOW) << shift;
    let impact = text[at++];
    if (impact >= MORE) impact = (impact & LOW) | (text[at++] << BITS);
    ids[i] = id;
    impacts[i] = impact;
  }
  return { ids, impacts };
}

/** Sets each entry of `column` to the maximum of itself and the list's impact. */
export function maxInto(column: Uint8Array, text: Uint8Array): void {
  let id = -1;
  for (let at = 0; at < text.length;) {
    let part = text[at++];
    id += part & LOW;
    for (let shift = BITS; part >= MORE; shift += BITS) id += ((part = text[at++]) & LOW) << shift;
    let impact = text[at++];
    if (impact >= MORE) impact = (impact & LOW) | (text[at++] << BITS);
    if (impact > column[id]) column[id] = impact;
  }
}

export function readIds(text: Uint8Array, count: number): Uint32Array {
  const ids = new Uint32Array(count);
  let id = -1;
  for (let at = 0, i = 0; i < count; i++) {
    let part = text[at++];
    id += part & LOW;
    for (let shift = BITS; part >= MORE; shift += BITS) id += ((part = text[at++]) & LOW) << shift;
    ids[i] = id;
  }
  return ids;
}

/** Digits 0 to 126, written as characters 1 to 127. */
const BASE = 127;

export function writeColumnNumber(into: Uint8Array, at: number, width: number, number: number): void {
  let rest = number;
  for (let index = at + width - 1; index >= at; index--) {
    into[index] = 1 + (rest % BASE);
    rest = Math.floor(rest / BASE);
  }
}

export function readColumnNumber(text: Uint8Array, at: number, width: number): number {
  let number = 0;
  for (let index = at; index < at + width; index++) number = number * BASE + text[index] - 1;
  return number;
}
