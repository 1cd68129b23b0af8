import { bitsFor } from "./posting-sets.ts";

/**
 * Scratch memory of a catalogue, about 22 bytes per item, shared by all queries; untouched pages take none. Finding a
 * page is synchronous, so two queries never use it at the same time.
 */
export interface QueryScratch {
  readonly count: number;
  readonly ids: Uint32Array;
  readonly scores: Uint16Array;
  readonly keys: Float64Array;
  /** A column of impacts, all zero, for one group of a query; `releaseColumns` takes all of them back. */
  takeColumn(): ScratchColumn;
  releaseColumns(): void;
  /** By id; all zero between uses. */
  readonly impacts: Uint8Array;
  /** All zero between uses. */
  readonly bits: Uint32Array;
  /** By value of a column; all zero between uses. */
  readonly accepts: Uint8Array;
  readonly everyId: Uint32Array;
}

export interface ScratchColumn {
  readonly impacts: Uint8Array;
  /** The same memory as 32-bit words, four items each. */
  readonly words: Uint32Array;
}

export function scratchFor(count: number): QueryScratch {
  const columns: ScratchColumn[] = [];
  let taken = 0;
  // `Uint32Array.from` takes twenty times as long: 40 ms for a million.
  const everyId = new Uint32Array(count);
  for (let id = 0; id < count; id++) everyId[id] = id;
  return {
    count,
    ids: new Uint32Array(count),
    scores: new Uint16Array(count),
    keys: new Float64Array(count),
    takeColumn() {
      const column = columns[taken] ?? newColumn(count);
      if (taken < columns.length) column.words.fill(0);
      columns[taken++] = column;
      return column;
    },
    releaseColumns() {
      taken = 0;
      columns.length = Math.min(columns.length, COLUMNS_MAX);
    },
    impacts: new Uint8Array(count),
    bits: bitsFor(count),
    accepts: new Uint8Array(256),
    everyId,
  };
}

const COLUMNS_MAX = 3;

function newColumn(count: number): ScratchColumn {
  const words = new Uint32Array(Math.ceil(count / 4));
  return { impacts: new Uint8Array(words.buffer, 0, count), words };
}
