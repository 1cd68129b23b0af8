export interface Lists {
  /** Ids of value v are at `starts[v]` to `starts[v + 1]`. */
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
}

/** Inverts the values of each id (`valueStarts[id]` to `valueStarts[id + 1]`). */
export function invert(valueStarts: Uint32Array, values: Uint32Array, valueCount: number): Lists {
  const starts = new Uint32Array(valueCount + 1);
  for (const value of values) starts[value + 1] = starts[value + 1] + 1;
  for (let value = 0; value < valueCount; value++) starts[value + 1] = starts[value + 1] + starts[value];
  const cursors = starts.slice();
  const ids = new Uint32Array(values.length);
  for (let id = 0; id + 1 < valueStarts.length; id++) {
    for (let at = valueStarts[id]; at < valueStarts[id + 1]; at++) {
      const value = values[at];
      const cursor = cursors[value];
      cursors[value] = cursor + 1;
      ids[cursor] = id;
    }
  }
  return { starts, ids };
}

/** The same for a column of one value per id, where 0 means none and has no list. */
export function invertColumn(column: Uint8Array, valueCount: number): Lists {
  const starts = new Uint32Array(valueCount + 1);
  for (const value of column) if (value !== 0) starts[value] = starts[value] + 1;
  for (let value = 0; value < valueCount; value++) starts[value + 1] = starts[value + 1] + starts[value];
  const cursors = starts.slice();
  const ids = new Uint32Array(starts[valueCount]);
  for (const [id, value] of column.entries()) {
    if (value === 0) continue;
    const cursor = cursors[value - 1];
    cursors[value - 1] = cursor + 1;
    ids[cursor] = id;
  }
  return { starts, ids };
}
