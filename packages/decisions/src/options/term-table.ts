/**
 * Terms found by their hash: open addressing, and equal hashes are told apart by their letters. It is emptied at once, by a new stamp,
 * so that one table serves all texts in turn; a Set for each would cost more than everything that is asked of it.
 */
export interface Term {
  readonly hash: number;
  /** Beginning of a word; of a pair the beginning of its first word. */
  readonly left: string;
  /** Of a pair the beginning of its second word; empty otherwise. */
  readonly right: string;
  /** How telling the beginning of a word is; 0 of a pair. */
  readonly telling: number;
}

export interface TermTable {
  /** False where an equal one is in. */
  add(term: Term): boolean;
  /** How many were put in before it; -1 where it is not in. */
  indexOf(term: Term): number;
  clear(): void;
}

/** For at most so many terms. A quarter of the places at most is taken: what is not in is found not to be in at the first or second look. */
export function createTermTable(most: number): TermTable {
  const size = 2 ** Math.ceil(Math.log2(4 * Math.max(1, most)));
  const mask = size - 1;
  const stamps = new Int32Array(size);
  const indices = new Int32Array(size);
  // Those of the last time stay until others take their places: to shorten the list costs more than to fill it.
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

  /** Where the term stands, or would stand. */
  function slotOf(term: Term): number {
    let slot = term.hash & mask;
    while (stamps[slot] === stamp && !isSame(terms[indices[slot]], term)) slot = (slot + 1) & mask;
    return slot;
  }
}

function isSame(first: Term, other: Term): boolean {
  return first.hash === other.hash && first.left === other.left && first.right === other.right;
}
