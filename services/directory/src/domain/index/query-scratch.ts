/**
 * Scratch memory of a catalogue, about 18 bytes per item, allocated lazily and shared by all queries. Finding a page is
 * synchronous, so two queries never use it at the same time.
 */
import { bitsFor } from "./posting-sets.ts";

export interface QueryScratch {
  readonly count: number;
  readonly ids: Uint32Array;
  readonly scores: Uint16Array;
  readonly keys: Float64Array;
  /** Best impact of an unfinished word per item; clear before use. */
  readonly column: Uint8Array;
  /** The same memory as 32-bit words, four items each. */
  readonly columnWords: Uint32Array;
  /** All zero between uses. */
  readonly bits: Uint32Array;
  readonly everyId: Uint32Array;
}

export function scratchFor(count: number): QueryScratch {
  const lazily = <T>(make: () => T) => {
    let made: T | undefined;
    return () => (made ??= make());
  };
  const ids = lazily(() => new Uint32Array(count));
  const scores = lazily(() => new Uint16Array(count));
  const keys = lazily(() => new Float64Array(count));
  const columnWords = lazily(() => new Uint32Array(Math.ceil(count / 4)));
  const column = lazily(() => new Uint8Array(columnWords().buffer, 0, count));
  const bits = lazily(() => bitsFor(count));
  const everyId = lazily(() => {
    // `Uint32Array.from` takes twenty times as long: 40 ms for a million, in the first request.
    const all = new Uint32Array(count);
    for (let id = 0; id < count; id++) all[id] = id;
    return all;
  });
  return {
    count,
    get ids() {
      return ids();
    },
    get scores() {
      return scores();
    },
    get keys() {
      return keys();
    },
    get column() {
      return column();
    },
    get columnWords() {
      return columnWords();
    },
    get bits() {
      return bits();
    },
    get everyId() {
      return everyId();
    },
  };
}
