/**
 * One memory for all data of the innermost loops, accessible to WebAssembly SIMD. Without SIMD it is ordinary memory,
 * and the loops in JavaScript are used.
 */
import { vectorModule } from "./wasm-kernel.ts";

/** See `wasm-kernel.ts`; all arguments but `weight` are byte offsets. */
export interface VectorLoops {
  addTokens(words: number, end: number, weight: number, target: number, vectors: number, table: number): void;
  products(rows: number, end: number, bias: number, vector: number, out: number): void;
  addWords(words: number, end: number, target: number, vectors: number): void;
}

export interface VectorMemory {
  /** Null without SIMD. */
  readonly loops: VectorLoops | null;
  /** Memory for exclusive use, filled with zeros; null if not enough is left. */
  take<T>(kind: ArrayKind<T>, length: number): T | null;
}

export interface ArrayKind<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): T;
}

declare const WebAssembly: {
  validate(source: Uint8Array): boolean;
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly Module: new (source: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: VectorLoops };
};

const PAGE = 65_536;
const ALIGNMENT = 16;

export function openVectorMemory(bytes: number): VectorMemory {
  const source = vectorModule();
  const memory = WebAssembly.validate(source) ? allocateWasm(bytes) : null;
  const loops = memory && new WebAssembly.Instance(new WebAssembly.Module(source), { a: { memory } }).exports;
  return { take: takeFrom(memory?.buffer ?? new ArrayBuffer(bytes)), loops };
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/**
 * The system allocates pages on the first write. Returns null if there is no address space for another guarded memory;
 * the caller then uses ordinary memory.
 */
export function allocateWasm(bytes: number): WasmMemory | null {
  const pages = Math.ceil(bytes / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch {
    return null;
  }
}

/** Cuts arrays from a buffer, one after the other. */
export function takeFrom(buffer: ArrayBuffer): VectorMemory["take"] {
  let next = 0;
  return (kind, length) => {
    const begin = next;
    const end = begin + Math.ceil((length * kind.BYTES_PER_ELEMENT) / ALIGNMENT) * ALIGNMENT;
    if (end > buffer.byteLength) return null;
    next = end;
    return new kind(buffer, begin, length);
  };
}

/**
 * Cuts vectors from larger arrays, because separate arrays cost four times as much to allocate, and again to collect. A
 * retained vector keeps its neighbors alive, so they should have similar lifetimes.
 */
const AT_ONCE = 32;

export function createVectorPool(dims: number): () => Float64Array {
  let block = new Float64Array(dims * AT_ONCE);
  let next = 0;
  return () => {
    if (next === block.length) {
      block = new Float64Array(dims * AT_ONCE);
      next = 0;
    }
    const vector = new Float64Array(block.buffer, next * Float64Array.BYTES_PER_ELEMENT, dims);
    next += dims;
    return vector;
  };
}
