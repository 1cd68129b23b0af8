/**
 * Open-addressing hash table of terms; equal hashes are compared by text. Clearing only changes a stamp, so one table
 * serves all texts; a Set per text would cost more than all lookups.
 */
export interface Term {
  readonly hash: number;
  readonly left: string;
  /** The stem of the second word of a pair; empty for a single stem. */
  readonly right: string;
  readonly telling: number;
}

export interface TermTable {
  add(term: Term): boolean;
  indexOf(term: Term): number;
  clear(): void;
}

/**
 * `most` is the capacity in terms. At most a quarter of the slots are used, so that lookups of absent terms end after
 * one or two steps.
 */
export function createTermTable(most: number): TermTable {
  const size = 2 ** Math.ceil(Math.log2(4 * Math.max(1, most)));
  const mask = size - 1;
  const stamps = new Int32Array(size);
  const indices = new Int32Array(size);
  // Old entries stay until they are overwritten, because shortening the list costs more than filling it.
  const terms: Term[] = [];
  let count = 0;
  let stamp = 1;

  return {
    add(term) {
      const slot = slotOf(term);
      if (stamps[slot] === stamp) return false;
      stamps[slot] = stamp;
      indices[slot] = count;
      terms[count++] = term;
      return true;
    },
    indexOf(term) {
      const slot = slotOf(term);
      return stamps[slot] === stamp ? indices[slot] : -1;
    },
    clear() {
      stamp += 1;
      count = 0;
    },
  };

  function slotOf(term: Term): number {
    let slot = term.hash & mask;
    while (stamps[slot] === stamp && !isSame(terms[indices[slot]], term)) slot = (slot + 1) & mask;
    return slot;
  }
}

function isSame(first: Term, other: Term): boolean {
  return first.hash === other.hash && first.left === other.left && first.right === other.right;
}
