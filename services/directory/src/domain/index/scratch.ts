/**
 * Working memory of a catalogue, as long as its items, allocated on first use and reused by every query: a query runs without
 * interruption from the first list to the ids of its page, so two never share it. About 18 bytes per item.
 */
import { bitsFor } from "./sets.ts";

export interface Scratch {
  /** Number of items. */
  readonly count: number;
  /** Matches so far, ascending. */
  readonly ids: Uint32Array;
  readonly scores: Uint16Array;
  readonly keys: Float64Array;
  /** Best impact of an unfinished word per item; whoever uses it clears it first. */
  readonly column: Uint8Array;
  /** The same memory, four items at a time. */
  readonly columnWords: Uint32Array;
  /** Always left empty. */
  readonly bits: Uint32Array;
  /** All ids. */
  readonly everyId: Uint32Array;
}

export function scratchFor(count: number): Scratch {
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
    // Not by `Uint32Array.from`, which takes twenty times as long: 40 ms for a million, in the first request that wants them.
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
