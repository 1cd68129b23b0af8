/** The loops of the lexical part as WebAssembly code (see `training-loops.ts`). */
import {
  load32Splat,
  SPLAT,
  ADD,
  SUBTRACT,
  MULTIPLY,
  addTo,
  i32LoadAt,
  SPLAT_INTEGER,
  EQUAL_INTEGERS,
  EQUAL,
  AT_LEAST,
  AND,
  AND_NOT,
  SELECT,
  ANY,
  OR,
  ABSOLUTE,
  NEAREST,
  DIVIDE,
  MIN,
  MAX,
  ifTrue,
  forEach,
  until,
} from "./float-code.ts";
import {
  get,
  I32,
  F32,
  I32_ADD,
  i32Load,
  joined,
  repeat,
  set,
  simd,
  step,
  V128,
  v128Load,
  v128Store,
  ZERO,
  type Code,
  type WasmFunction,
} from "./wasm-code.ts";

/** How many routes are fitted at once. */
export const LANES = 4;
/**
 * A row of dual coordinate descent, in 32-bit fields: entries from, entries to, route, slack of the squared hinge loss,
 * and the inverse of the curvature (the last two are floats). Three fields are unused.
 */
export const ROW_FIELDS = 8;
/** State of four lanes, four fields each: bias, route, mask of the active ones, worst violation, 1, and -1. */
export const STATE_FIELDS = 24;
export const STATE = { bias: 0, routes: 4, active: 8, worst: 12, one: 16, minusOne: 20 };

/**
 * Adds value times weight to four sums. It reads two entries at a time, so their number must be even. Moves `entry` to
 * `end`.
 */
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
 * `sumLanes(entry, end, weights, sums)`: adds value times weight to four sums. An entry has 8 bytes: the offset of the
 * four weights, and the value.
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

/** 1 in the lane of the row's route, -1 in all others. */
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
    joined(get(active), ANY),
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

/**
 * `roundLanes(factors, end, weights, floor, scale)`: each four weights times their factor as a file stores them, in one
 * to eight steps of `scale`, or zero below `floor`; then divided by the factor again.
 */
function roundLanes(): Code {
  const [factors, end, weights, floor, scale, factor, weight, size, least, unit, eight] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ];
  const f32 = (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
  return joined(
    joined(get(floor), SPLAT, set(least), get(scale), SPLAT, set(unit), f32(8), SPLAT, set(eight)),
    forEach(
      factors,
      end,
      joined(get(factors), load32Splat(0), set(factor), get(weights), v128Load(0), get(factor), MULTIPLY, set(weight)),
      joined(get(weight), ABSOLUTE, set(size)),
      joined(get(weights), get(size), get(unit), DIVIDE, NEAREST, f32(1), SPLAT, MAX, get(eight), MIN),
      joined(get(unit), MULTIPLY, get(factor), DIVIDE),
      // The sign of the weight; all bits are zero below the floor.
      joined(get(weight), get(weight), ABSOLUTE, simd(0x51), OR, get(size), get(least), AT_LEAST, AND),
      v128Store(0),
      step(factors, 4),
      step(weights, 16),
    ),
  );
}

export function laneLoops(): readonly WasmFunction[] {
  const integers = (count: number) => Array.from({ length: count }, () => I32);
  const lanes = (count: number): readonly [number, number] => [count, V128];
  return [
    { name: "sumLanes", parameters: integers(4), locals: [lanes(2)], code: sumLanes() },
    { name: "roundLanes", parameters: [...integers(3), F32, F32], locals: [lanes(6)], code: roundLanes() },
    { name: "descend", parameters: integers(6), locals: [[5, I32], lanes(8)], code: descend() },
    { name: "addDuals", parameters: integers(5), locals: [[3, I32], lanes(1)], code: addDuals(4 * ROW_FIELDS) },
  ];
}
