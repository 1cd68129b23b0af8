/**
 * Buffers the words of each item with their weights until the list layout is known: three bytes for most words, a
 * varint number and a weight. For a million items this is most of the memory of an index build.
 */
import { growingUint32 } from "./growable-array.ts";
import { WEIGHT_MAX } from "./impact-scores.ts";

export interface Postings {
  readonly items: number;
  add(terms: readonly number[], weightOf: readonly number[]): void;
  each(item: number, visit: (term: number, weight: number) => void): void;
  /** Releases all memory, even while the postings are referenced. */
  clear(): void;
}

const PIECE_BITS = 20;
/** An item has at most 20,000 characters of text, so its words fit one piece. */
const PIECE = 1 << PIECE_BITS;
const MOST_BYTES = 6;
const LOW = 0x7f;
const MORE = 0x80;

export function collectPostings(): Postings {
  const pieces: Uint8Array[] = [];
  /** Per item: its position, counted over whole pieces, and number of words. */
  const [begins, counts] = [growingUint32(), growingUint32()];
  let piece = new Uint8Array(0);
  let filled = 0;

  return {
    get items() {
      return counts.length;
    },

    add(terms, weightOf) {
      if (terms.length * MOST_BYTES > piece.length - filled) {
        if (terms.length * MOST_BYTES > PIECE) throw new RangeError(`an item of ${terms.length} words is too long`);
        pieces.push((piece = new Uint8Array(PIECE)));
        filled = 0;
      }
      begins.push(Math.max(0, pieces.length - 1) * PIECE + filled);
      counts.push(terms.length);
      for (const term of terms) {
        let rest = term;
        while (rest > LOW) {
          piece[filled++] = (rest & LOW) | MORE;
          rest >>>= 7;
        }
        piece[filled++] = rest;
        piece[filled++] = Math.min(WEIGHT_MAX, weightOf[term]);
      }
    },

    each(item, visit) {
      const begin = begins.at(item);
      const bytes = pieces[begin >>> PIECE_BITS];
      let at = begin & (PIECE - 1);
      for (let left = counts.at(item); left > 0; left--) {
        let byte = bytes[at++];
        let term = byte & LOW;
        for (let shift = 7; byte >= MORE; shift += 7) {
          byte = bytes[at++];
          term |= (byte & LOW) << shift;
        }
        visit(term, bytes[at++]);
      }
    },

    clear() {
      pieces.length = 0;
      piece = new Uint8Array(0);
      for (const numbers of [begins, counts]) numbers.clear();
    },
  };
}
