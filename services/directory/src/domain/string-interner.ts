/**
 * Interns strings as numbers in insertion order: a Map from string to number at a third of its memory and without an
 * object per string, so that millions of IDs, slugs or words cost the garbage collector nothing.
 *
 * An open-addressing hash table. Each UTF-16 unit is encoded separately in one to three bytes, so that lone surrogates
 * survive.
 */
import { growingUint32 } from "./index/growable-array.ts";

export interface DistinctTexts {
  readonly size: number;
  /** The string's number, or -1. */
  find(text: string): number;
  numberOf(text: string): number;
  textAt(number: number): string;
}

const PIECE_BITS = 20;
const PIECE = 1 << PIECE_BITS;
/** Start offsets have 32 bits. */
const MOST_PIECES = 1 << (32 - PIECE_BITS);
const END = 0xff;
const INITIAL_SLOTS = 1 << 10;

export function createStringInterner(): DistinctTexts {
  const pieces: Uint8Array[] = [];
  const starts = growingUint32();
  let filled = PIECE;
  /** Number plus one, and hash, of each slot; 0 = free. */
  let slots = new Uint32Array(INITIAL_SLOTS * 2);
  let encoded = new Uint8Array(1 << 10);
  let length = 0;

  /** Encodes into `encoded` and returns the hash (FNV-1a, then mixed, so that low bits depend on all others). */
  const encode = (text: string): number => {
    if (text.length * 3 > encoded.length) encoded = new Uint8Array(text.length * 6);
    let hash = 0x811c9dc5;
    length = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      hash = Math.imul(hash ^ unit, 0x01000193);
      if (unit < 0x80) {
        encoded[length++] = unit;
        continue;
      }
      if (unit < 0x800) {
        encoded[length++] = 0xc0 | (unit >> 6);
      } else {
        encoded[length++] = 0xe0 | (unit >> 12);
        encoded[length++] = 0x80 | ((unit >> 6) & 0x3f);
      }
      encoded[length++] = 0x80 | (unit & 0x3f);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  };

  const isEncoded = (number: number): boolean => {
    const start = starts.at(number);
    const piece = pieces[start >>> PIECE_BITS];
    const begin = start & (PIECE - 1);
    for (let at = 0; at < length; at++) if (piece[begin + at] !== encoded[at]) return false;
    return piece[begin + length] === END;
  };

  const slotOf = (hash: number): number => {
    const mask = slots.length / 2 - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const taken = slots[slot * 2];
      if (taken === 0 || (slots[slot * 2 + 1] === hash && isEncoded(taken - 1))) return slot;
    }
  };

  const grow = (): void => {
    const old = slots;
    slots = new Uint32Array(old.length * 2);
    const mask = slots.length / 2 - 1;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from] === 0) continue;
      let slot = old[from + 1] & mask;
      while (slots[slot * 2] !== 0) slot = (slot + 1) & mask;
      slots[slot * 2] = old[from];
      slots[slot * 2 + 1] = old[from + 1];
    }
  };

  const keep = (): void => {
    if (length >= PIECE) throw new RangeError(`a string of ${length} bytes is too long to intern`);
    if (filled + length >= PIECE) {
      if (pieces.length === MOST_PIECES) throw new RangeError("too many distinct strings");
      pieces.push(new Uint8Array(PIECE));
      filled = 0;
    }
    const piece = pieces[pieces.length - 1];
    starts.push((pieces.length - 1) * PIECE + filled);
    for (let at = 0; at < length; at++) piece[filled + at] = encoded[at];
    piece[filled + length] = END;
    filled += length + 1;
  };

  const numberOf = (text: string): number => {
    const hash = encode(text);
    const slot = slotOf(hash);
    if (slots[slot * 2] !== 0) return slots[slot * 2] - 1;
    keep();
    slots[slot * 2] = starts.length;
    slots[slot * 2 + 1] = hash;
    // Probe sequences get long above a load of two thirds.
    if (starts.length * 3 > slots.length) grow();
    return starts.length - 1;
  };

  return {
    get size() {
      return starts.length;
    },

    find: (text) => slots[slotOf(encode(text)) * 2] - 1,
    numberOf,

    textAt(number) {
      const start = starts.at(number);
      const piece = pieces[start >>> PIECE_BITS];
      const begin = start & (PIECE - 1);
      return decode(piece.subarray(begin, piece.indexOf(END, begin)));
    },
  };
}

function decode(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte < 0x80) text += String.fromCharCode(byte);
    else if (byte < 0xe0) text += String.fromCharCode(((byte & 0x1f) << 6) | (bytes[++at] & 0x3f));
    else text += String.fromCharCode(((byte & 0x0f) << 12) | ((bytes[++at] & 0x3f) << 6) | (bytes[++at] & 0x3f));
  }
  return text;
}
