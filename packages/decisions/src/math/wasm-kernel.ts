/**
 * The innermost loops as a WebAssembly module with vectors of two doubles. Each lane adds in the same order as its
 * JavaScript counterpart (`addTokens`, `addWords`, `denseLogits`), so results are bit-identical.
 */
import {
  F64,
  get,
  I32,
  I32_ADD,
  I32_NE,
  i32Load,
  int,
  joined,
  repeat,
  set,
  simd,
  step,
  unsigned,
  V128,
  v128Load,
  v128Store,
  wasmModule,
  ZERO,
  type Code,
} from "./wasm-code.ts";

const I32_SHL: Code = [0x74];
const f64Store: Code = [0x39, 3, 0];
const F64_ADD: Code = [0xa0];
const load8x8Signed = (offset: number): Code => simd(0x01, 0, ...unsigned(offset));
const load64Splat = (offset: number): Code => simd(0x0a, 3, ...unsigned(offset));
const load64Zero = (offset: number): Code => simd(0x5d, 2, ...unsigned(offset));
const SPLAT: Code = simd(0x14);
const lane = (index: 0 | 1): Code => simd(0x21, index);
const ADD: Code = simd(0xf0);
const MULTIPLY: Code = simd(0xf2);
const FROM_FLOATS: Code = simd(0x5f);
const FROM_INTEGERS: Code = simd(0xfe);
const WIDEN_LOW: Code = simd(0xa7);
const WIDEN_HIGH: Code = simd(0xa8);
/** Moves the upper two of four integers into the lower two. */
const upperOf = (local: number): Code => [
  ...get(local),
  ...get(local),
  ...simd(0x0d, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
];
const addTo = (sum: number, ...product: Code[]): Code => [...get(sum), ...product.flat(), ...ADD, ...set(sum)];

/**
 * `addTokens(words, end, weight, target, vectors, table)`: adds token rows to the 256 doubles at `target`. Entries of
 * 16 bytes from `words` to `end`: offset of the word's floats and of the pair's integers, in elements, and the pair's
 * factor.
 */
function addTokens(): Code {
  const [words, end, weight, target, vectors, table, entry, last, word, pair] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const [weights, factor, integers, four, sum] = [10, 11, 12, 13, 14];
  const sums = [0, 1, 2, 3];
  return [
    ...joined(get(weight), SPLAT, set(weights)),
    ...joined(get(target), int(2048), I32_ADD, set(last)),
    ...repeat(
      ...sums.map((n) => [...get(target), ...v128Load(16 * n), ...set(sum + n)]),
      [...get(words), ...set(entry)],
      repeat(
        [...get(entry), ...i32Load, ...int(2), ...I32_SHL, ...get(vectors), ...I32_ADD, ...set(word)],
        [...get(entry), ...int(4), ...I32_ADD, ...i32Load, ...get(table), ...I32_ADD, ...set(pair)],
        [...get(entry), ...load64Splat(8), ...set(factor)],
        [...get(pair), ...load8x8Signed(0), ...set(integers)],
        ...sums.flatMap((n) => [
          n % 2 === 0 ? [...get(integers), ...(n === 0 ? WIDEN_LOW : WIDEN_HIGH), ...set(four)] : [],
          addTo(sum + n, get(weights), get(word), load64Zero(8 * n), FROM_FLOATS, MULTIPLY),
          addTo(sum + n, get(factor), n % 2 === 0 ? get(four) : upperOf(four), FROM_INTEGERS, MULTIPLY),
        ]),
        step(entry, 16),
        [...get(entry), ...get(end), ...I32_NE],
      ),
      ...sums.map((n) => [...get(target), ...get(sum + n), ...v128Store(16 * n)]),
      step(target, 64),
      step(vectors, 32),
      step(table, 8),
      [...get(target), ...get(last), ...I32_NE],
    ),
  ];
}

/**
 * `products(rows, end, bias, vector, out)`: dot products of the 256 doubles at `vector` with each row from `rows` to
 * `end`, plus its bias, to `out`. It reads two rows at a time, so their number must be even.
 */
function products(): Code {
  const [rows, end, bias, vector, out, position, last, a01, a23, b01, b23, v01, v23] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
  ];
  const begin = (offset: number): Code => [...get(bias), ...load64Zero(offset)];
  const whole = (low: number, high: number): Code =>
    [get(low), lane(0), get(low), lane(1), F64_ADD, get(high), lane(0), get(high), lane(1), F64_ADD, F64_ADD].flat();
  return [
    ...joined(get(vector), int(2048), I32_ADD, set(last)),
    ...repeat(
      [...begin(0), ...set(a01), ...ZERO, ...set(a23)],
      [...begin(8), ...set(b01), ...ZERO, ...set(b23)],
      [...get(vector), ...set(position)],
      repeat(
        [...get(position), ...v128Load(0), ...set(v01), ...get(position), ...v128Load(16), ...set(v23)],
        addTo(a01, get(rows), v128Load(0), get(v01), MULTIPLY),
        addTo(a23, get(rows), v128Load(16), get(v23), MULTIPLY),
        addTo(b01, get(rows), v128Load(2048), get(v01), MULTIPLY),
        addTo(b23, get(rows), v128Load(2064), get(v23), MULTIPLY),
        step(rows, 32),
        step(position, 32),
        [...get(position), ...get(last), ...I32_NE],
      ),
      [...get(out), ...whole(a01, a23), ...f64Store],
      [...get(out), ...int(8), ...I32_ADD, ...whole(b01, b23), ...f64Store],
      step(out, 16),
      step(bias, 16),
      step(rows, 2048),
      [...get(rows), ...get(end), ...I32_NE],
    ),
  ];
}

/**
 * `addWords(words, end, target, vectors)`: the same for words only, with entries of 4 bytes: the offset of the word's
 * floats.
 */
function addWords(): Code {
  const [words, end, target, vectors, entry, last, word] = [0, 1, 2, 3, 4, 5, 6];
  const sum = 7;
  const sums = [0, 1, 2, 3];
  return [
    ...joined(get(target), int(2048), I32_ADD, set(last)),
    ...repeat(
      ...sums.map((n) => [...get(target), ...v128Load(16 * n), ...set(sum + n)]),
      [...get(words), ...set(entry)],
      repeat(
        [...get(entry), ...i32Load, ...int(2), ...I32_SHL, ...get(vectors), ...I32_ADD, ...set(word)],
        ...sums.map((n) => addTo(sum + n, get(word), load64Zero(8 * n), FROM_FLOATS)),
        step(entry, 4),
        [...get(entry), ...get(end), ...I32_NE],
      ),
      ...sums.map((n) => [...get(target), ...get(sum + n), ...v128Store(16 * n)]),
      step(target, 64),
      step(vectors, 32),
      [...get(target), ...get(last), ...I32_NE],
    ),
  ];
}

export const MODULE_DIMS = 256;

export function vectorModule(): Uint8Array<ArrayBuffer> {
  return wasmModule([
    {
      name: "addTokens",
      parameters: [I32, I32, F64, I32, I32, I32],
      locals: [
        [4, I32],
        [8, V128],
      ],
      code: addTokens(),
    },
    {
      name: "products",
      parameters: [I32, I32, I32, I32, I32],
      locals: [
        [2, I32],
        [6, V128],
      ],
      code: products(),
    },
    {
      name: "addWords",
      parameters: [I32, I32, I32, I32],
      locals: [
        [3, I32],
        [4, V128],
      ],
      code: addWords(),
    },
  ]);
}
