import type { ByteSink, ByteSource } from "./snapshot.ts";

export interface MemorySink extends ByteSink {
  bytes(): Uint8Array;
}

export function memorySink(): MemorySink {
  const pieces: Uint8Array[] = [];
  return {
    async append(bytes) {
      pieces.push(bytes);
    },
    bytes: () => Buffer.concat(pieces),
  };
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}
