/** WebAssembly code for vectors of four floats. */
import { get, I32_NE, joined, repeat, set, simd, unsigned, type Code } from "./wasm-code.ts";

export const F32_ADD: Code = [0x92];
export const f32Load = (offset: number): Code => [0x2a, 2, ...unsigned(offset)];
export const f32Store = (offset: number): Code => [0x38, 2, ...unsigned(offset)];
export const load32Splat = (offset: number): Code => simd(0x09, 2, ...unsigned(offset));
export const SPLAT: Code = simd(0x13);
export const lane = (index: number): Code => simd(0x1f, index);
export const ADD: Code = simd(0xe4);
export const SUBTRACT: Code = simd(0xe5);
export const MULTIPLY: Code = simd(0xe6);
export const addTo = (sum: number, ...product: Code[]): Code => [...get(sum), ...product.flat(), ...ADD, ...set(sum)];
export const i32LoadAt = (offset: number): Code => [0x28, 2, ...unsigned(offset)];
export const SPLAT_INTEGER: Code = simd(0x11);
export const EQUAL_INTEGERS: Code = simd(0x37);
export const EQUAL: Code = simd(0x41);
export const AT_LEAST: Code = simd(0x46);
export const AND: Code = simd(0x4e);
export const AND_NOT: Code = simd(0x4f);
export const SELECT: Code = simd(0x52);
export const ANY: Code = simd(0x53);
export const OR: Code = simd(0x50);
export const ABSOLUTE: Code = simd(0xe0);
export const NEAREST: Code = simd(0x6a);
export const DIVIDE: Code = simd(0xe7);
export const MIN: Code = simd(0xe8);
export const MAX: Code = simd(0xe9);
export const ifTrue = (...code: Code[]): Code => [0x04, 0x40, ...code.flat(), 0x0b];
/** Repeats until `local` has reached `end`; runs not at all if it already has. */
export const forEach = (local: number, end: number, ...code: Code[]): Code =>
  joined(get(local), get(end), I32_NE, ifTrue(repeat(...code, until(local, end))));
export const until = (local: number, end: number): Code => joined(get(local), get(end), I32_NE);
