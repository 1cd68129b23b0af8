/** The loops of the dense part as WebAssembly code (see `training-loops.ts`). */
import {
  F32_ADD,
  f32Load,
  f32Store,
  load32Splat,
  SPLAT,
  lane,
  ADD,
  SUBTRACT,
  MULTIPLY,
  addTo,
  i32LoadAt,
  forEach,
  until,
} from "./float-code.ts";
import {
  get,
  I32,
  F32,
  I32_ADD,
  I32_NE,
  i32Load,
  int,
  joined,
  repeat,
  set,
  step,
  V128,
  v128Load,
  v128Store,
  ZERO,
  type Code,
  type WasmFunction,
} from "./wasm-code.ts";

/** How many numbers of a vector the loops read at once. */
export const DIMS_STEP = 16;

/**
 * `products(list, listEnd, rows, end, bias, out)`: dot products of the vectors at the listed addresses with each row
 * from `rows` to `end`, plus its bias, to `out`. It reads four vectors and two rows at a time, so their numbers must be
 * multiples of four and two. The results of four vectors are stored together, row by row.
 */
function products(rowBytes: number): Code {
  const [list, listEnd, rows, end, bias, out, row, added, at, last, offset] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const xs = [11, 12, 13, 14];
  const a = [15, 16, 17, 18];
  const b = [19, 20, 21, 22];
  const [wa, wb, v] = [23, 24, 25];
  const wholeOf = (sum: number, biasOffset: number): Code =>
    joined(
      ...[0, 1].map((n) => joined(get(sum), lane(n))),
      F32_ADD,
      ...[2, 3].map((n) => joined(get(sum), lane(n))),
      F32_ADD,
      F32_ADD,
      get(added),
      f32Load(biasOffset),
      F32_ADD,
    );
  const ofRows = repeat(
    ...[...a, ...b].map((sum) => joined(ZERO, set(sum))),
    joined(int(0), set(offset), get(row), set(at), get(row), int(rowBytes), I32_ADD, set(last)),
    repeat(
      ...[0, 16].flatMap((more) => [
        joined(get(at), v128Load(more), set(wa), get(at), v128Load(rowBytes + more), set(wb)),
        ...xs.flatMap((x, n) => [
          joined(get(x), get(offset), I32_ADD, v128Load(more), set(v)),
          addTo(a[n], get(wa), get(v), MULTIPLY),
          addTo(b[n], get(wb), get(v), MULTIPLY),
        ]),
      ]),
      step(offset, 32),
      step(at, 32),
      until(at, last),
    ),
    ...xs.flatMap((_, n) => [
      joined(get(out), wholeOf(a[n], 0), f32Store(4 * n)),
      joined(get(out), wholeOf(b[n], 4), f32Store(16 + 4 * n)),
    ]),
    step(out, 32),
    step(added, 8),
    step(row, 2 * rowBytes),
    until(row, end),
  );
  return repeat(
    ...xs.map((x, n) => joined(get(list), i32LoadAt(4 * n), set(x))),
    joined(get(rows), set(row), get(bias), set(added)),
    ofRows,
    step(list, 16),
    until(list, listEnd),
  );
}

/**
 * `momentumSteps(ends, endsEnd, entries, weights, velocity, momentum, decay, rate)`: one step of the weights of each
 * class. An entry has 8 bytes: the address of a vector, and the gradient of its logit. The entries of a class end at
 * the listed end. Computes four sums of four numbers at a time.
 */
function momentumSteps(rowBytes: number): Code {
  const [ends, endsEnd, entries, weights, velocity, momentum, decay, rate] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [entry, offset, vector, end, share, manyMomentum, manyDecay, manyRate] = [8, 9, 10, 11, 12, 13, 14, 15];
  const sums = [16, 17, 18, 19];
  return joined(
    joined(get(momentum), SPLAT, set(manyMomentum)),
    joined(get(decay), SPLAT, set(manyDecay)),
    joined(get(rate), SPLAT, set(manyRate)),
    repeat(
      joined(get(ends), i32Load, set(end), int(0), set(offset)),
      ofClass(),
      joined(get(end), set(entries)),
      step(ends, 4),
      until(ends, endsEnd),
    ),
  );

  function ofClass(): Code {
    return repeat(
      ...sums.map((sum, n) =>
        joined(
          joined(get(manyMomentum), get(velocity), v128Load(16 * n), MULTIPLY),
          joined(get(manyDecay), get(weights), v128Load(16 * n), MULTIPLY),
          joined(ADD, set(sum)),
        ),
      ),
      joined(get(entries), set(entry)),
      forEach(
        entry,
        end,
        joined(get(entry), i32Load, get(offset), I32_ADD, set(vector)),
        joined(get(entry), load32Splat(4), set(share)),
        ...sums.map((sum, n) => addTo(sum, get(share), get(vector), v128Load(16 * n), MULTIPLY)),
        step(entry, 8),
      ),
      ...sums.map((sum, n) =>
        joined(
          joined(get(velocity), get(sum), v128Store(16 * n)),
          joined(get(weights), get(weights), v128Load(16 * n)),
          joined(get(manyRate), get(sum), MULTIPLY, SUBTRACT, v128Store(16 * n)),
        ),
      ),
      step(offset, 64),
      step(velocity, 64),
      step(weights, 64),
      joined(get(offset), int(rowBytes), I32_NE),
    );
  }
}

/** `dims`: a multiple of DIMS_STEP. */
export function denseLoops(dims: number): readonly WasmFunction[] {
  const integers = (count: number) => Array.from({ length: count }, () => I32);
  const lanes = (count: number): readonly [number, number] => [count, V128];
  return [
    { name: "products", parameters: integers(6), locals: [[9, I32], lanes(11)], code: products(dims * 4) },
    {
      name: "momentumSteps",
      parameters: [...integers(5), F32, F32, F32],
      locals: [[4, I32], lanes(8)],
      code: momentumSteps(dims * 4),
    },
  ];
}
