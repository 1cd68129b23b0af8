/** Bytes of WebAssembly code (core specification, chapter 5), for modules with an imported memory `a.memory`. */

export const I32 = 0x7f;
export const F32 = 0x7d;
export const F64 = 0x7c;
export const V128 = 0x7b;

export type Code = readonly number[];
export const get = (local: number): Code => [0x20, local];
export const set = (local: number): Code => [0x21, local];
export const int = (value: number): Code => [0x41, ...signed(value)];
export const I32_ADD: Code = [0x6a];
export const I32_NE: Code = [0x47];
export const i32Load: Code = [0x28, 2, 0];
export const simd = (operation: number, ...immediate: number[]): Code => [0xfd, ...unsigned(operation), ...immediate];
export const v128Load = (offset: number): Code => simd(0x00, 3, ...unsigned(offset));
export const v128Store = (offset: number): Code => simd(0x0b, 3, ...unsigned(offset));
export const ZERO: Code = simd(0x0c, ...Array.from({ length: 16 }, () => 0));
export const joined = (...code: Code[]): Code => code.flat();
/** Repeats while the last value of the code is not zero. */
export const repeat = (...code: Code[]): Code => [0x03, 0x40, ...code.flat(), 0x0d, 0, 0x0b];
export const step = (local: number, by: number): Code => [...get(local), ...int(by), ...I32_ADD, ...set(local)];

export interface WasmFunction {
  readonly name: string;
  readonly parameters: readonly number[];
  /** Local variables besides the parameters: how many of which type. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly code: Code;
}

const MAGIC: Code = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A module of functions that return nothing, each exported by its name. */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...MAGIC,
    ...section(1, vector(functions.map(({ parameters }) => [0x60, ...list(parameters), 0]))),
    ...section(2, vector([[...name("a"), ...name("memory"), 0x02, 0x00, 0]])),
    ...section(3, vector(functions.map((_, index) => [index]))),
    ...section(7, vector(functions.map((item, index) => [...name(item.name), 0, index]))),
    ...section(10, vector(functions.map((item) => list([...locals(item.locals), ...item.code, 0x0b])))),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...list(content)];
}

function list(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

function vector(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function locals(groups: WasmFunction["locals"]): Code {
  return vector(groups.map(([count, type]) => [...unsigned(count), type]));
}

function name(text: string): Code {
  return list(Array.from(text, (letter) => letter.charCodeAt(0)));
}

export function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}
