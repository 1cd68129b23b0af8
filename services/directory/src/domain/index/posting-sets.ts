/** Writes the ids of `ids` that are in `list` to `into`, which may share memory with `ids`; returns their number. */
export function intersect(ids: Uint32Array, list: Uint32Array, into: Uint32Array): number {
  let count = 0;
  let at = 0;
  const isSparse = ids.length * 16 < list.length;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i];
    if (isSparse) at = gallop(list, id, at);
    else while (at < list.length && list[at] < id) at++;
    if (at === list.length) break;
    if (list[at] === id) into[count++] = id;
  }
  return count;
}

/** First position from `at` with an id of at least `id`: exponential, then binary search. */
export function gallop(list: Uint32Array, id: number, at: number): number {
  let step = 1;
  let low = at;
  while (low + step < list.length && list[low + step] < id) {
    low += step;
    step *= 2;
  }
  let high = Math.min(list.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function bitsFor(count: number): Uint32Array {
  return new Uint32Array((count + 31) >>> 5);
}

export function addBits(bits: Uint32Array, ids: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) bits[ids[i] >>> 5] |= 1 << (ids[i] & 31);
}

/** Also clears the other bits of their words: call it to undo `addBits` on empty bits. */
export function clearBits(bits: Uint32Array, ids: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) bits[ids[i] >>> 5] = 0;
}

export function hasBit(bits: Uint32Array, id: number): boolean {
  return ((bits[id >>> 5] >>> (id & 31)) & 1) === 1;
}

/** Writes the ids of all bits in ascending order and clears them; returns their number. */
export function drainBits(bits: Uint32Array, into: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word];
    if (rest === 0) continue;
    bits[word] = 0;
    while (rest !== 0) {
      const lowest = 31 - Math.clz32(rest & -rest);
      into[count++] = (word << 5) | lowest;
      rest &= rest - 1;
    }
  }
  return count;
}
