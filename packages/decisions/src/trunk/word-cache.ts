/**
 * The words that a trunk has met, so that each is put together once: their vectors side by side in one array, with the hashes by which
 * they take part in pairs. Bounded: places go round, and a word is forgotten before its place is given to another.
 */
import { hashOfLeft, hashOfWord } from "../text/rows.ts";

export interface KnownWords {
  /** `dims` floats a place. */
  readonly vectors: Float32Array;
  readonly asLeft: Uint32Array;
  readonly asRight: Uint32Array;
  /** Where the word stands, put together first where it is not known. It stands there until PLACES_AT_ONCE more have been asked for. */
  placeOf(word: string): number;
}

/** So many places may be in use together: the words of one text. */
export const PLACES_AT_ONCE = 512;
/** About 20 MB of vectors, taken as they are filled; more distinct words than that are met by no service in a while. */
const KEPT_WORDS = 20_000;
/** Of the vectors of all of them. */
export const WORD_PLACES = KEPT_WORDS + PLACES_AT_ONCE;
/** What is longer is hardly said twice, and a memory of texts without blanks would have no bound. */
const LONGEST_KEPT = 64;
/** Of a shorter text the engine always makes a copy of its own when a part is taken. */
const SHORTEST_PART = 13;

/** `write` puts the vector of a word into `vectors`, `dims` floats a place, at the place that begins at `base`. */
export function keepWords(
  dims: number,
  write: (word: string, vectors: Float32Array, base: number) => void,
  vectors = new Float32Array(WORD_PLACES * dims),
): KnownWords {
  const places = vectors.length / dims;
  const asLeft = new Uint32Array(places);
  const asRight = new Uint32Array(places);
  const placeByWord = new Map<string, number>();
  const wordAt: (string | undefined)[] = [];
  let next = 0;
  return { vectors, asLeft, asRight, placeOf };

  function placeOf(word: string): number {
    const known = placeByWord.get(word);
    return known === undefined ? readWord(word) : known;
  }

  function readWord(word: string): number {
    const place = next;
    next = (next + 1) % places;
    forget((place + PLACES_AT_ONCE) % places);
    write(word, vectors, place * dims);
    asLeft[place] = hashOfLeft(word);
    asRight[place] = hashOfWord(word);
    if (word.length <= LONGEST_KEPT) {
      const own = ownCopy(word);
      wordAt[place] = own;
      placeByWord.set(own, place);
    }
    return place;
  }

  function forget(place: number): void {
    const word = wordAt[place];
    if (word === undefined) return;
    placeByWord.delete(word);
    wordAt[place] = undefined;
  }
}

/** A token is a view into its text: kept as it is, it would keep the whole text in memory. */
function ownCopy(word: string): string {
  return word.length < SHORTEST_PART ? word : ` ${word}`.slice(1);
}
