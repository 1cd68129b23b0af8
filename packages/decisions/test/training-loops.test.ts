/** SIMD and plain JavaScript give the same floats, bit for bit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLoops } from "../src/math/plain-training-loops.ts";
import { LANES, ROW_FIELDS, STATE, STATE_FIELDS } from "../src/math/lane-kernel.ts";
import { openTrainingMemory, simdLoops } from "../src/math/training-loops.ts";
import { allocateWasm, takeFrom } from "../src/math/vector-memory.ts";
import { xorshift } from "../src/math/xorshift.ts";

const DIMS = 48;
const ROWS = 6;
const FEATURES = 9;
const LANE_BYTES = LANES * 4;

function createArrays(isPlain: boolean) {
  const memory = allocateWasm(65_536);
  assert.ok(memory);
  const simd = simdLoops(memory, DIMS);
  assert.ok(simd, "this machine has them");
  const take = takeFrom(memory.buffer);
  const random = xorshift(7);
  const floats = (length: number) => {
    const array = take(Float32Array, length);
    assert.ok(array);
    for (let at = 0; at < length; at++) array[at] = random() - 0.5;
    return array;
  };
  const integers = (values: readonly number[]) => {
    const array = take(Int32Array, values.length);
    assert.ok(array);
    array.set(values);
    return array;
  };
  /** Entries of 8 bytes; the first field is given, the second one is random. */
  const entries = (firsts: readonly number[]) => {
    const array = floats(2 * firsts.length);
    const fields = new Int32Array(array.buffer, array.byteOffset, array.length);
    for (const [index, first] of firsts.entries()) fields[2 * index] = first;
    return array;
  };
  const loops = isPlain ? plainLoops(memory.buffer, DIMS) : simd;
  return { loops, floats, integers, entries, all: new Float32Array(memory.buffer) };
}

const endOf = ({ byteOffset, byteLength }: Float32Array | Int32Array) => byteOffset + byteLength;

function runDense(isPlain: boolean): Float32Array {
  const { loops, floats, integers, entries, all } = createArrays(isPlain);
  const vectors = floats(5 * DIMS);
  const addresses = [0, 1, 2, 3, 4, 0, 0, 1].map((n) => vectors.byteOffset + n * DIMS * 4);
  const list = integers(addresses);
  const [rows, velocity, bias, out] = [floats(ROWS * DIMS), floats(ROWS * DIMS), floats(ROWS), floats(8 * ROWS)];
  loops.products(list.byteOffset, endOf(list), rows.byteOffset, endOf(rows), bias.byteOffset, out.byteOffset);
  const gradients = entries(addresses);
  const ends = integers([0, 1, 1, 4, 8, 8].map((count) => gradients.byteOffset + count * 8));
  const [first, weights, moved] = [gradients, rows, velocity].map(({ byteOffset }) => byteOffset);
  loops.momentumSteps(ends.byteOffset, endOf(ends), first, weights, moved, 0.9, 1e-2, 0.3);
  return all;
}

function runLanes(isPlain: boolean): Float32Array {
  const { loops, floats, integers, entries, all } = createArrays(isPlain);
  const weights = floats(FEATURES * LANES).fill(0);
  const state = floats(STATE_FIELDS).fill(0);
  state.fill(1, STATE.one, STATE.minusOne).fill(-1, STATE.minusOne);
  const flags = new Int32Array(state.buffer, state.byteOffset, STATE_FIELDS);
  flags.set([2, 3, 4, 5], STATE.routes);
  flags.set([-1, -1, 0, -1], STATE.active);
  const texts = [[], [0, 3], [8, 2, 5, 1], [3, 1]];
  const records = texts.flatMap((features, label) => {
    const own = entries(features.map((feature) => feature * LANE_BYTES));
    return [own.byteOffset, endOf(own), label + 1, ...Array.from({ length: ROW_FIELDS - 3 }, () => 0)];
  });
  const rows = integers(records);
  const numbers = new Float32Array(rows.buffer, rows.byteOffset, rows.length);
  for (const n of texts.keys()) numbers.set([0.5, 0.4], n * ROW_FIELDS + 3);
  const duals = floats(texts.length * LANES);
  for (let at = 0; at < duals.length; at++) duals[at] = at % 3 === 0 ? 0 : Math.abs(duals[at]);
  const [dual, weight, own] = [duals, weights, state].map(({ byteOffset }) => byteOffset);
  loops.addDuals(rows.byteOffset, endOf(rows), dual, weight, own);
  const order = integers([2, 0, 3, 1, 2].map((row) => row * LANE_BYTES));
  loops.descend(order.byteOffset, endOf(order), rows.byteOffset, dual, weight, own);
  const factors = floats(FEATURES).fill(1.3);
  loops.roundLanes(factors.byteOffset, endOf(factors), weight, 0.05, 0.1);
  const sums = floats(LANES);
  for (const n of texts.keys()) loops.sumLanes(rows[n * ROW_FIELDS], rows[n * ROW_FIELDS + 1], weight, sums.byteOffset);
  return all;
}

for (const [name, run] of [
  ["dense", runDense],
  ["lexical", runLanes],
] as const)
  test(`${name} training loops with and without SIMD give the same floats`, () => {
    const withThem = run(false);
    assert.deepEqual(withThem, run(true));
    // The masks of the three active lanes are not numbers.
    assert.equal(withThem.filter((value) => Number.isNaN(value)).length, name === "lexical" ? 3 : 0);
  });

test("a memory that is too small for an array is refused", () => {
  assert.throws(() => openTrainingMemory(64).take(Float64Array, 65_536), /No 65536 numbers are left/);
});
