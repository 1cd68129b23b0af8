/**
 * Maps the hash of a feature to its own row: open addressing in one array. A decision looks up hundreds of hashes,
 * and a Map stores numbers beyond 31 bits as objects.
 */
import type { OwnRows } from "./rows.ts";

/** The hash at index `n` has row `n`. If a hash occurs repeatedly, the last index wins. */
export function tableOfOwnRows(hashes: Uint32Array): OwnRows {
  // The table is at most half full, so that lookups of absent hashes end after a step or two.
  const slots = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * hashes.length)));
  const mask = slots - 1;
  const keys = new Uint32Array(slots);
  const rows = new Int32Array(slots).fill(-1);
  let size = 0;
  for (let row = 0; row < hashes.length; row++) {
    const slot = slotOf(hashes[row]);
    if (rows[slot] < 0) size++;
    keys[slot] = hashes[row];
    rows[slot] = row;
  }

  return {
    size,
    get(hash) {
      const row = rows[slotOf(hash)];
      return row < 0 ? undefined : row;
    },
  };

  function slotOf(hash: number): number {
    let slot = hash & mask;
    while (rows[slot] >= 0 && keys[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }
}
