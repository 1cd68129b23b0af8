import { bitsFor } from "./posting-sets.ts";

/**
 * Scratch memory of a catalogue, about 18 bytes per item, shared by all queries; untouched pages take none. Finding a
 * page is synchronous, so two queries never use it at the same time.
 */
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
  const columnWords = new Uint32Array(Math.ceil(count / 4));
  // `Uint32Array.from` takes twenty times as long: 40 ms for a million.
  const everyId = new Uint32Array(count);
  for (let id = 0; id < count; id++) everyId[id] = id;
  return {
    count,
    ids: new Uint32Array(count),
    scores: new Uint16Array(count),
    keys: new Float64Array(count),
    column: new Uint8Array(columnWords.buffer, 0, count),
    columnWords,
    bits: bitsFor(count),
    everyId,
  };
}
