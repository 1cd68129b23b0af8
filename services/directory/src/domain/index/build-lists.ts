export interface Lists {
  /** Ids of value v are at `starts[v]` to `starts[v + 1]`. */
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
}

/** The numbers below `count`, sorted. `Uint32Array.from` would collect a million of them in a list first. */
export function sortedIndexes(count: number, compare: (a: number, b: number) => number): Uint32Array {
  const indexes = new Uint32Array(count);
  for (let index = 0; index < count; index++) indexes[index] = index;
  return indexes.sort(compare);
}

/** Inverts the values of each id (`valueStarts[id]` to `valueStarts[id + 1]`). */
export function invert(valueStarts: Uint32Array, values: Uint32Array, valueCount: number): Lists {
  return listsOf(valueCount, (visit) => {
    for (let id = 0; id + 1 < valueStarts.length; id++)
      for (let at = valueStarts[id]; at < valueStarts[id + 1]; at++) visit(values[at], id);
  });
}

/** The same for a column of one value per id, where 0 means none and has no list. */
export function invertColumn(column: Uint8Array | Uint32Array, valueCount: number): Lists {
  return listsOf(valueCount, (visit) => {
    for (let id = 0; id < column.length; id++) if (column[id] !== 0) visit(column[id] - 1, id);
  });
}

/** @param each visits all pairs by ascending id; called twice. */
function listsOf(valueCount: number, each: (visit: (value: number, id: number) => void) => void): Lists {
  const starts = new Uint32Array(valueCount + 1);
  each((value) => starts[value + 1]++);
  for (let value = 0; value < valueCount; value++) starts[value + 1] += starts[value];
  const cursors = starts.slice();
  const ids = new Uint32Array(starts[valueCount]);
  each((value, id) => {
    ids[cursors[value]++] = id;
  });
  return { starts, ids };
}
