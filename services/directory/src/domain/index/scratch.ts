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
  const column = lazily(() => new Uint8Array(count));
  const bits = lazily(() => bitsFor(count));
  const everyId = lazily(() => Uint32Array.from({ length: count }, (_, id) => id));
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
    get bits() {
      return bits();
    },
    get everyId() {
      return everyId();
    },
  };
}
