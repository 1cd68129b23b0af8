/**
 * The memory of a training and its innermost loops: a WebAssembly module with vectors of four floats, or JavaScript
 * that computes the same sums in the same order, with bit-identical results. Without SIMD, training a head takes three
 * times as long as the limit in `bench/`.
 */
import { plainLoops, type TrainingLoops } from "./plain-training-loops.ts";
import { DIMS_STEP, denseLoops } from "./dense-kernel.ts";
import { laneLoops } from "./lane-kernel.ts";
import { wasmModule } from "./wasm-code.ts";
import { allocateWasm, takeFrom, type ArrayKind, type WasmMemory } from "./vector-memory.ts";

export interface TrainingMemory {
  readonly loops: TrainingLoops;
  /** Memory for exclusive use, filled with zeros. */
  take<T extends Filled>(kind: ArrayKind<T>, length: number): T;
  /** Lets later trainings reuse the memory; arrays that were taken must not be used afterwards. */
  release(): void;
}

interface Filled {
  fill(value: number): unknown;
}

declare const WebAssembly: {
  validate(source: Uint8Array): boolean;
  readonly Module: new (source: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: TrainingLoops };
};

/** Null without SIMD. Compiled once, so that later trainings find optimized code. */
const modules = new Map<number, object | null>();

interface Arena {
  readonly buffer: ArrayBuffer;
  /** The loops by length of the vectors. */
  readonly loops: Map<number, TrainingLoops>;
  readonly memory: WasmMemory | null;
}

/**
 * Released memory. A training opens about fifty memories one after the other, and clearing one is faster than mapping
 * new pages. Larger memories are left to the garbage collector, because a rare large training must not occupy memory
 * forever.
 */
let free: Arena | null = null;
const RETAINED_BYTES_MAX = 64 * 2 ** 20;

/**
 * `bytes`: the total size of all arrays that will be taken. `dims`: the length of the vectors, a multiple of DIMS_STEP.
 */
export function openTrainingMemory(bytes: number, dims = DIMS_STEP): TrainingMemory {
  const arena = free !== null && free.buffer.byteLength >= bytes ? free : createArena(bytes);
  free = null;
  const take = takeFrom(arena.buffer);
  return {
    loops: loopsFor(arena, dims),
    take(kind, length) {
      const taken = take(kind, length);
      if (taken === null) throw new RangeError(`No ${length} numbers are left in the memory of a training.`);
      taken.fill(0);
      return taken;
    },
    release() {
      if (arena.buffer.byteLength <= RETAINED_BYTES_MAX) free = arena;
    },
  };
}

function createArena(bytes: number): Arena {
  const memory = allocateWasm(bytes);
  return { memory, buffer: memory?.buffer ?? new ArrayBuffer(bytes), loops: new Map() };
}

function loopsFor({ memory, buffer, loops }: Arena, dims: number): TrainingLoops {
  const opened = loops.get(dims) ?? (memory && simdLoops(memory, dims)) ?? plainLoops(buffer, dims);
  loops.set(dims, opened);
  return opened;
}

/** Null without SIMD. */
export function simdLoops(memory: WasmMemory, dims: number): TrainingLoops | null {
  let module = modules.get(dims);
  if (module === undefined) {
    const source = wasmModule([...denseLoops(dims), ...laneLoops()]);
    module = WebAssembly.validate(source) ? new WebAssembly.Module(source) : null;
    modules.set(dims, module);
  }
  return module && new WebAssembly.Instance(module, { a: { memory } }).exports;
}
