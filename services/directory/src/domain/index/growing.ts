/** A list of numbers that grows by whole chunks: nothing is copied while it grows, so building holds each number once. */
const CHUNK_BITS = 20;
const CHUNK = 1 << CHUNK_BITS;

type Numbers = Uint8Array | Uint32Array | Float64Array;

export interface Growing<Array extends Numbers> {
  readonly length: number;
  push(value: number): void;
  /** Replaces a number that was pushed. */
  set(position: number, value: number): void;
  at(position: number): number;
  /** A copy in one piece. */
  toArray(): Array;
  /** Lets go of all numbers: whoever holds the list no longer holds their memory. */
  clear(): void;
}

export function growingUint8(): Growing<Uint8Array> {
  return growing((length) => new Uint8Array(length));
}

export function growingUint32(): Growing<Uint32Array> {
  return growing((length) => new Uint32Array(length));
}

export function growingFloat64(): Growing<Float64Array> {
  return growing((length) => new Float64Array(length));
}

function growing<Array extends Numbers>(allocate: (length: number) => Array): Growing<Array> {
  let chunks: Array[] = [];
  let last = allocate(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if ((length & (CHUNK - 1)) === 0) chunks.push((last = allocate(CHUNK)));
      last[length & (CHUNK - 1)] = value;
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
}
