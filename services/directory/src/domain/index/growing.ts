/** A list of integers that grows by whole chunks: nothing is copied while it grows, so building holds each number once. */
const CHUNK_BITS = 20;
const CHUNK = 1 << CHUNK_BITS;

export interface Growing {
  readonly length: number;
  push(value: number): void;
  at(position: number): number;
}

export function growingUint32(): Growing {
  return growing((length) => new Uint32Array(length));
}

export function growingUint8(): Growing {
  return growing((length) => new Uint8Array(length));
}

function growing(allocate: (length: number) => Uint32Array | Uint8Array): Growing {
  const chunks: (Uint32Array | Uint8Array)[] = [];
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
    at: (position) => chunks[position >>> CHUNK_BITS]?.[position & (CHUNK - 1)],
  };
}
