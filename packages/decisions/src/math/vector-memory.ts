/**
 * One piece of memory in which all lies that the innermost loops walk over, so that vector instructions can reach it. Where a machine has
 * none, it is memory like any other, and whoever asks runs the same loops in JavaScript.
 */
import { vectorModule } from "./wasm-kernel.ts";

/** As `vector-module.ts` says them; all but `weight` are places in bytes. */
export interface VectorLoops {
  addTokens(words: number, end: number, weight: number, target: number, vectors: number, table: number): void;
  products(rows: number, end: number, bias: number, vector: number, out: number): void;
  addWords(words: number, end: number, target: number, vectors: number): void;
}

export interface VectorMemory {
  /** Null where there are no vector instructions. */
  readonly loops: VectorLoops | null;
  /** Zeros that nobody else has; null where so much is not left. */
  take<T>(kind: ArrayKind<T>, length: number): T | null;
}

interface ArrayKind<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): T;
}

/** As much of the platform's object as is used here, with what our module exports. */
declare const WebAssembly: {
  validate(source: Uint8Array): boolean;
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: ArrayBuffer;
  };
  readonly Module: new (source: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: VectorLoops };
};

const PAGE = 65_536;
const ALIGNMENT = 16;

export function openVectorMemory(bytes: number): VectorMemory {
  const { buffer, loops } = withLoops(bytes) ?? { buffer: new ArrayBuffer(bytes), loops: null };
  let next = 0;
  return {
    loops,
    take(kind, length) {
      const begin = next;
      const end = begin + Math.ceil((length * kind.BYTES_PER_ELEMENT) / ALIGNMENT) * ALIGNMENT;
      if (end > buffer.byteLength) return null;
      next = end;
      return new kind(buffer, begin, length);
    },
  };
}

/** Pages are taken from the system when they are first written to. */
function withLoops(bytes: number): { readonly buffer: ArrayBuffer; readonly loops: VectorLoops } | null {
  const source = vectorModule();
  if (!WebAssembly.validate(source)) return null;
  const pages = Math.ceil(bytes / PAGE);
  try {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(source), { a: { memory } });
    return { buffer: memory.buffer, loops: exports };
  } catch {
    // No room for another memory with its guards: that of the process will do.
    return null;
  }
}
