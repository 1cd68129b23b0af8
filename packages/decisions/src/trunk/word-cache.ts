/**
 * Caches word vectors, side by side in one array, with the hashes for pairs. The cache is bounded: slots are reused in
 * rotation, and a word is removed before its slot is reused.
 */
import { hashOfLeft, hashOfWord } from "../text/rows.ts";

export interface WordCache {
  /** `dims` floats per slot. */
  readonly vectors: Float32Array;
  readonly asLeft: Uint32Array;
  readonly asRight: Uint32Array;
  /**
   * The slot of a word; its vector is computed if it is not cached. The slot stays valid until PLACES_AT_ONCE more
   * words are requested.
   */
  slotOf(word: string): number;
}

/** Maximum number of slots that are in use together, by the words of one text. */
export const BLOCK_SIZE = 512;
/** The vectors take about 20 MB, allocated when filled. Services rarely see more distinct words. */
const CACHED_WORDS_MAX = 20_000;
export const WORD_SLOTS = CACHED_WORDS_MAX + BLOCK_SIZE;
/** Longer words rarely repeat, and caching texts without spaces would make the memory unbounded. */
const CACHED_CHARACTERS_MAX = 64;
/** The JavaScript engine always copies shorter substrings. */
const SHORTEST_PART = 13;

/** `write` stores the vector of a word, `dims` floats, in `vectors` at `base`. */
export function createWordCache(
  dims: number,
  write: (word: string, vectors: Float32Array, base: number) => void,
  vectors = new Float32Array(WORD_SLOTS * dims),
): WordCache {
  const slots = vectors.length / dims;
  const asLeft = new Uint32Array(slots);
  const asRight = new Uint32Array(slots);
  const slotByWord = new Map<string, number>();
  const wordAt: (string | undefined)[] = [];
  let next = 0;
  return { vectors, asLeft, asRight, slotOf };

  function slotOf(word: string): number {
    const cached = slotByWord.get(word);
    return cached === undefined ? readWord(word) : cached;
  }

  function readWord(word: string): number {
    const slot = next;
    next = (next + 1) % slots;
    forget((slot + BLOCK_SIZE) % slots);
    write(word, vectors, slot * dims);
    asLeft[slot] = hashOfLeft(word);
    asRight[slot] = hashOfWord(word);
    if (word.length <= CACHED_CHARACTERS_MAX) {
      const own = ownCopy(word);
      wordAt[slot] = own;
      slotByWord.set(own, slot);
    }
    return slot;
  }

  function forget(slot: number): void {
    const word = wordAt[slot];
    if (word === undefined) return;
    slotByWord.delete(word);
    wordAt[slot] = undefined;
  }
}

/** A token is a slice of its text: caching it would retain the whole text. */
function ownCopy(word: string): string {
  return word.length < SHORTEST_PART ? word : ` ${word}`.slice(1);
}
