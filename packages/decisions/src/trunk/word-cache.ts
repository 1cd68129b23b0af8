/**
 * The words that a trunk has met, so that each is put together once: their vectors side by side in one array, with the hashes by which
 * they take part in pairs. Bounded: places go round, and a word is forgotten before its place is given to another.
 */
import { hashOfLeft, hashOfWord } from "../text/rows.ts";

export interface WordCache {
  /** `dims` floats a place. */
  readonly vectors: Float32Array;
  readonly asLeft: Uint32Array;
  readonly asRight: Uint32Array;
  /** Where the word stands, put together first where it is not known. It stands there until PLACES_AT_ONCE more have been asked for. */
  slotOf(word: string): number;
}

/** So many places may be in use together: the words of one text. */
export const BLOCK_SIZE = 512;
/** About 20 MB of vectors, taken as they are filled; more distinct words than that are met by no service in a while. */
const CACHED_WORDS_MAX = 20_000;
/** Of the vectors of all of them. */
export const WORD_SLOTS = CACHED_WORDS_MAX + BLOCK_SIZE;
/** What is longer is hardly said twice, and a memory of texts without blanks would have no bound. */
const CACHED_CHARACTERS_MAX = 64;
/** Of a shorter text the engine always makes a copy of its own when a part is taken. */
const SHORTEST_PART = 13;

/** `write` puts the vector of a word into `vectors`, `dims` floats a place, at the place that begins at `base`. */
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

/** A token is a view into its text: kept as it is, it would keep the whole text in memory. */
function ownCopy(word: string): string {
  return word.length < SHORTEST_PART ? word : ` ${word}`.slice(1);
}
