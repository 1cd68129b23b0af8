/**
 * Accumulates the gradients of rows over a batch, before any row is updated. Each row has a slot, in order of first
 * use.
 */
export interface GatheredRows {
  readonly count: () => number;
  readonly rows: readonly number[];
  /** slots x dims. `slotOf` may reallocate it, so read it again afterwards. */
  readonly values: () => Float32Array;
  /** The slot of a row; `isNew` means that it was just added, filled with zeros. */
  slotOf(row: number): { readonly slot: number; readonly isNew: boolean };
  clear(): void;
}

const FIRST_SLOTS = 4096;

export function gatherRows(rowCount: number, dims: number): GatheredRows {
  const slots = new Int32Array(rowCount).fill(-1);
  const rows: number[] = [];
  let values = new Float32Array(FIRST_SLOTS * dims);
  let count = 0;
  return {
    count: () => count,
    rows,
    values: () => values,
    slotOf(row) {
      if (slots[row] >= 0) return { slot: slots[row], isNew: false };
      const slot = count++;
      slots[row] = slot;
      rows[slot] = row;
      if (count * dims > values.length) {
        const bigger = new Float32Array(values.length * 2);
        bigger.set(values);
        values = bigger;
      }
      values.fill(0, slot * dims, (slot + 1) * dims);
      return { slot, isNew: true };
    },
    clear() {
      for (let slot = 0; slot < count; slot++) slots[rows[slot]] = -1;
      count = 0;
    },
  };
}
