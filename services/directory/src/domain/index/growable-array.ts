/**
 * A list of numbers that grows by chunks without copying. Only the first chunk starts small and doubles, because most
 * catalogues are small and there are dozens of lists.
 */
const CHUNK_BITS = 20;
const CHUNK = 1 << CHUNK_BITS;
const FIRST = 1 << 8;

type Numbers = Uint8Array | Uint32Array | Float64Array;

export interface GrowableArray<Array extends Numbers> {
  readonly length: number;
  push(value: number): void;
  set(position: number, value: number): void;
  at(position: number): number;
  toArray(): Array;
  /** Releases all memory, even while the list is referenced. */
  clear(): void;
}

export function growingUint8(): GrowableArray<Uint8Array> {
  return growing((length) => new Uint8Array(length));
}

export function growingUint32(): GrowableArray<Uint32Array> {
  return growing((length) => new Uint32Array(length));
}

export function growingFloat64(): GrowableArray<Float64Array> {
  return growing((length) => new Float64Array(length));
}

function growing<Array extends Numbers>(allocate: (length: number) => Array): GrowableArray<Array> {
  let chunks: Array[] = [];
  let last = allocate(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      const offset = length & (CHUNK - 1);
      if (offset === 0) chunks.push((last = allocate(length === 0 ? FIRST : CHUNK)));
      else if (offset === last.length) chunks[0] = last = doubled(last);
      last[offset] = value;
      length++;
    },
    set(position, value) {
      chunks[position >>> CHUNK_BITS][position & (CHUNK - 1)] = value;
    },
    at: (position) => chunks[position >>> CHUNK_BITS][position & (CHUNK - 1)],
    clear() {
      chunks = [];
      last = allocate(0);
      length = 0;
    },
    toArray() {
      const whole = allocate(length);
      for (const [number, chunk] of chunks.entries())
        whole.set(chunk.subarray(0, length - number * CHUNK), number * CHUNK);
      return whole;
    },
  };

  function doubled(full: Array): Array {
    const twice = allocate(full.length * 2);
    twice.set(full);
    return twice;
  }
}
