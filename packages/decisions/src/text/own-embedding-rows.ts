/**
 * From the hash of a feature to its own row: a table of open addressing in one array. A decision looks up hundreds of hashes, and a Map
 * keeps numbers beyond 31 bits as objects.
 */
import type { OwnRows } from "./rows.ts";

/** Hash `n` has row `n`; of equal hashes the last one counts. */
export function tableOfOwnRows(hashes: Uint32Array): OwnRows {
  // At most half full, so that an absent hash is known to be so after a step or two.
  const places = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * hashes.length)));
  const mask = places - 1;
  const keys = new Uint32Array(places);
  const rows = new Int32Array(places).fill(-1);
  let size = 0;
  for (let row = 0; row < hashes.length; row++) {
    const place = placeOf(hashes[row]);
    if (rows[place] < 0) size++;
    keys[place] = hashes[row];
    rows[place] = row;
  }

  return {
    size,
    get(hash) {
      const row = rows[placeOf(hash)];
      return row < 0 ? undefined : row;
    },
  };

  /** Where the hash stands, or would stand. */
  function placeOf(hash: number): number {
    let place = hash & mask;
    while (rows[place] >= 0 && keys[place] !== hash) place = (place + 1) & mask;
    return place;
  }
}
