/**
 * The innermost loops of training as a WebAssembly module with four-lane floats. Each lane adds in the order of its
 * JavaScript counterpart in `training-loops.ts`, so results are bit-identical. Without it, a head of 64 routes with ten
 * texts each takes longer than three times nlp.js's training.
 */
import {
  F32,
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

/** Numbers of a vector that the loops read at once. */
export const DIMS_STEP = 16;
/** Routes that are fitted at once. */
export const LANES = 4;
/**
 * A row of dual coordinate descent, in 32-bit fields: entries from, entries to, route, slack of the squared hinge loss,
 * and the inverse of the curvature (the last two are floats). Three fields are unused.
 */
export const ROW_FIELDS = 8;
/** State of four lanes, four fields each: bias, route, mask of the active ones, worst violation, 1, and -1. */
export const STATE_FIELDS = 24;
export const STATE = { bias: 0, routes: 4, active: 8, worst: 12, one: 16, minusOne: 20 };

const F32_ADD: Code = [0x92];
const f32Load = (offset: number): Code => [0x2a, 2, ...unsigned(offset)];
const f32Store = (offset: number): Code => [0x38, 2, ...unsigned(offset)];
const load32Splat = (offset: number): Code => simd(0x09, 2, ...unsigned(offset));
const SPLAT: Code = simd(0x13);
const lane = (index: number): Code => simd(0x1f, index);
const ADD: Code = simd(0xe4);
const SUBTRACT: Code = simd(0xe5);
const MULTIPLY: Code = simd(0xe6);
const addTo = (sum: number, ...product: Code[]): Code => [...get(sum), ...product.flat(), ...ADD, ...set(sum)];
const i32LoadAt = (offset: number): Code => [0x28, 2, ...unsigned(offset)];
const SPLAT_INTEGER: Code = simd(0x11);
const EQUAL_INTEGERS: Code = simd(0x37);
const EQUAL: Code = simd(0x41);
const AT_LEAST: Code = simd(0x46);
const AND: Code = simd(0x4e);
const AND_NOT: Code = simd(0x4f);
const SELECT: Code = simd(0x52);
const ANY: Code = simd(0x53);
const ABSOLUTE: Code = simd(0xe0);
const MAX: Code = simd(0xe9);
const ifTrue = (...code: Code[]): Code => [0x04, 0x40, ...code.flat(), 0x0b];
/** Repeats until `local` has reached `end`; not at all if it has. */
const forEach = (local: number, end: number, ...code: Code[]): Code =>
  joined(get(local), get(end), I32_NE, ifTrue(repeat(...code, until(local, end))));
const until = (local: number, end: number): Code => joined(get(local), get(end), I32_NE);

/**
 * `products(list, listEnd, rows, end, bias, out)`: dot products of the vectors at the listed addresses with each row from
 * `rows` to `end`, plus its bias, to `out`. Four vectors and two rows at a time: their numbers are multiples. The
 * results of four vectors stand together, row by row.
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
 * `momentumSteps(ends, endsEnd, entries, weights, speed, momentum, decay, pace)`: one step of the weights of each class.
 * Entries of 8 bytes: address of a vector, and the gradient of its logit; those of a class stand before the listed end.
 * Four sums of four numbers at a time.
 */
function momentumSteps(rowBytes: number): Code {
  const [ends, endsEnd, entries, weights, speed, momentum, decay, pace] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [entry, offset, vector, end, share, manyMomentum, manyDecay, manyPace] = [8, 9, 10, 11, 12, 13, 14, 15];
  const sums = [16, 17, 18, 19];
  return joined(
    joined(get(momentum), SPLAT, set(manyMomentum)),
    joined(get(decay), SPLAT, set(manyDecay)),
    joined(get(pace), SPLAT, set(manyPace)),
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
          joined(get(manyMomentum), get(speed), v128Load(16 * n), MULTIPLY),
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
          joined(get(speed), get(sum), v128Store(16 * n)),
          joined(get(weights), get(weights), v128Load(16 * n)),
          joined(get(manyPace), get(sum), MULTIPLY, SUBTRACT, v128Store(16 * n)),
        ),
      ),
      step(offset, 64),
      step(speed, 64),
      step(weights, 64),
      joined(get(offset), int(rowBytes), I32_NE),
    );
  }
}

/** Adds value times weight to four sums. Two entries at a time: their number is even. Moves `entry` to `end`. */
function addEntries(entry: number, end: number, weights: number, even: number, odd: number): Code {
  const product = (offset: number): Code =>
    joined(
      joined(get(entry), load32Splat(offset + 4)),
      joined(get(weights), get(entry), i32LoadAt(offset), I32_ADD, v128Load(0), MULTIPLY),
    );
  return joined(
    joined(ZERO, set(odd)),
    forEach(entry, end, addTo(even, product(0)), addTo(odd, product(8)), step(entry, 16)),
    addTo(even, get(odd)),
  );
}

/** Adds value times step to the four weights of each entry. Moves `entry` to `end`. */
function moveEntries(entry: number, end: number, weights: number, at: number, steps: number): Code {
  return forEach(
    entry,
    end,
    joined(get(weights), get(entry), i32Load, I32_ADD, set(at)),
    joined(get(at), get(at), v128Load(0), get(steps), get(entry), load32Splat(4), MULTIPLY, ADD, v128Store(0)),
    step(entry, 8),
  );
}

/**
 * `sumLanes(entry, end, weights, sums)`: adds value times weight to four sums. Entries of 8 bytes: offset of the four
 * weights, and the value.
 */
function sumLanes(): Code {
  const [entry, end, weights, sums, even, odd] = [0, 1, 2, 3, 4, 5];
  return joined(
    joined(get(sums), v128Load(0), set(even)),
    addEntries(entry, end, weights, even, odd),
    joined(get(sums), get(even), v128Store(0)),
  );
}

/** Byte offsets of the fields of a row. */
const ROW = { begin: 0, end: 4, label: 8, slack: 12, inverseCurve: 16 };
const stateOf = (field: number): Code => v128Load(4 * field);

/** 1 in the lane of the row's route, otherwise -1. */
const signOf = (row: number, state: number): Code =>
  joined(
    joined(get(state), stateOf(STATE.one), get(state), stateOf(STATE.minusOne)),
    joined(get(row), i32LoadAt(ROW.label), SPLAT_INTEGER, get(state), stateOf(STATE.routes), EQUAL_INTEGERS, SELECT),
  );
const addToBias = (state: number, steps: number): Code =>
  joined(get(state), get(state), stateOf(STATE.bias), get(steps), ADD, v128Store(4 * STATE.bias));

/**
 * `descend(order, orderEnd, rows, duals, weights, state)`: one round of dual coordinate descent over the rows in `order`,
 * given by the offsets of their duals; a row's record is twice as long.
 */
function descend(): Code {
  const [order, orderEnd, rows, duals, weights, state, row, entry, end, at, dual] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const [sum, odd, sign, before, slope, active, after, steps] = [11, 12, 13, 14, 15, 16, 17, 18];
  return repeat(
    joined(get(order), i32Load, get(duals), I32_ADD, set(dual)),
    joined(get(order), i32Load, get(order), i32Load, I32_ADD, get(rows), I32_ADD, set(row)),
    joined(get(row), i32LoadAt(ROW.begin), set(entry), get(row), i32LoadAt(ROW.end), set(end)),
    joined(get(state), stateOf(STATE.bias), set(sum)),
    addEntries(entry, end, weights, sum, odd),
    joined(signOf(row, state), set(sign), get(dual), v128Load(0), set(before)),
    joined(get(sign), get(sum), MULTIPLY, get(state), stateOf(STATE.one), SUBTRACT),
    joined(get(row), load32Splat(ROW.slack), get(before), MULTIPLY, ADD, set(slope)),
    joined(get(state), stateOf(STATE.active)),
    joined(get(before), ZERO, EQUAL, get(slope), ZERO, AT_LEAST, AND, AND_NOT, set(active)),
    get(active),
    ANY,
    ifTrue(
      joined(get(state), get(state), stateOf(STATE.worst), get(slope), ABSOLUTE, get(active), AND, MAX),
      v128Store(4 * STATE.worst),
      joined(get(before), get(slope), get(row), load32Splat(ROW.inverseCurve), MULTIPLY, SUBTRACT, ZERO, MAX),
      joined(get(before), get(active), SELECT, set(after)),
      joined(get(dual), get(after), v128Store(0)),
      joined(get(sign), get(after), get(before), SUBTRACT, MULTIPLY, set(steps)),
      joined(get(row), i32LoadAt(ROW.begin), set(entry)),
      moveEntries(entry, end, weights, at, steps),
      addToBias(state, steps),
    ),
    step(order, 4),
    until(order, orderEnd),
  );
}

/** `addDuals(rows, rowsEnd, duals, weights, state)`: the weights and bias of given dual variables. */
function addDuals(rowBytes: number): Code {
  const [row, rowsEnd, dual, weights, state, entry, end, at, steps] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  return repeat(
    joined(signOf(row, state), get(dual), v128Load(0), MULTIPLY, set(steps)),
    joined(get(row), i32LoadAt(ROW.begin), set(entry), get(row), i32LoadAt(ROW.end), set(end)),
    moveEntries(entry, end, weights, at, steps),
    addToBias(state, steps),
    step(dual, 16),
    step(row, rowBytes),
    until(row, rowsEnd),
  );
}

/** `dims`: a multiple of 16. */
export function trainingModule(dims: number): Uint8Array<ArrayBuffer> {
  const integers = (count: number) => Array.from({ length: count }, () => I32);
  const lanes = (count: number): readonly [number, number] => [count, V128];
  return wasmModule([
    { name: "products", parameters: integers(6), locals: [[9, I32], lanes(11)], code: products(dims * 4) },
    {
      name: "momentumSteps",
      parameters: [...integers(5), F32, F32, F32],
      locals: [[4, I32], lanes(8)],
      code: momentumSteps(dims * 4),
    },
    { name: "sumLanes", parameters: integers(4), locals: [lanes(2)], code: sumLanes() },
    { name: "descend", parameters: integers(6), locals: [[5, I32], lanes(8)], code: descend() },
    { name: "addDuals", parameters: integers(5), locals: [[3, I32], lanes(1)], code: addDuals(4 * ROW_FIELDS) },
  ]);
}
