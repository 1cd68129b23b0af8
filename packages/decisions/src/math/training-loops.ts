/**
 * The memory of a training, and its innermost loops: a WebAssembly module with four-lane floats, or the same sums in the
 * same order in JavaScript, with the same bits. Without SIMD, a head takes three times as long as the bar of `bench/`.
 */
import { plainLoops, type TrainingLoops } from "./plain-training-loops.ts";
import { DIMS_STEP, denseLoops } from "./dense-kernel.ts";
import { laneLoops } from "./lane-kernel.ts";
import { wasmModule } from "./wasm-code.ts";
import { allocateWasm, takeFrom, type ArrayKind, type WasmMemory } from "./vector-memory.ts";

export interface TrainingMemory {
  readonly loops: TrainingLoops;
  /** Exclusive zeroed memory. */
  take<T extends Filled>(kind: ArrayKind<T>, length: number): T;
  /** Later trainings reuse the memory: nothing that was taken may be used any more. */
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
  /** By the length of the vectors. */
  readonly loops: Map<number, TrainingLoops>;
  readonly memory: WasmMemory | null;
}

/**
 * Released memory. A training opens some fifty, one after the other, and clearing is faster than mapping new pages.
 * Larger ones are left to the garbage collector: a rare large training must not cost memory for ever.
 */
let free: Arena | null = null;
const RETAINED_BYTES_MAX = 64 * 2 ** 20;

/** `bytes`: of all arrays that will be taken. `dims`: length of the vectors, a multiple of DIMS_STEP. */
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
