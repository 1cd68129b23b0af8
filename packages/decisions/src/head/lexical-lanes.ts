/** Dual coordinate descent for four routes at once, in the memory of the training loops. */
import { LANES, ROW_FIELDS, STATE, STATE_FIELDS } from "../math/lane-kernel.ts";
import { openTrainingMemory } from "../math/training-loops.ts";
import type { LexicalRows, LexicalTask } from "./lexical-rows.ts";
import type { Rounding } from "./sparse-codec.ts";

export interface LexicalLanes {
  /** ids x LANES. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
  /** chosen x LANES. */
  readonly duals: Float32Array;
  /** Sets everything to zero, for the next routes, of which `from` is the first. */
  reset(from: number): void;
  /** Computes weights and bias from `duals`. */
  addDuals(): void;
  /**
   * Makes one round over the chosen rows; `offsets` is a result of `offsetsOf`. Returns whether every route has
   * converged.
   */
  descend(offsets: Int32Array, tolerance: number): boolean;
  /** Rounds the weights as a file does. */
  round(rounding: Rounding): void;
  /** The four logits of any row. */
  predict(row: number): Float32Array;
  /** Frees the memory; the lanes are unusable afterwards. */
  release(): void;
}

const FIELD_BYTES = 4;
const ENTRY_FIELDS = 2;
const DUAL_BYTES = LANES * FIELD_BYTES;
/** Covers the alignment of the arrays. */
const SPARE_BYTES = 256;

/** `cost`: the weight of an error relative to the squared length of the weights. */
export function createLanes(rows: LexicalRows, task: LexicalTask, cost: number): LexicalLanes {
  const { ids, indices, squares } = rows;
  const { chosen, labels, weights: costs } = task;
  const n = chosen.length;
  const entries = ENTRY_FIELDS * (indices.length + squares.length);
  const fields = entries + (ids.length + n) * LANES + ids.length + n * (ROW_FIELDS + 1) + STATE_FIELDS + LANES;
  const { loops, take, release } = openTrainingMemory(fields * FIELD_BYTES + SPARE_BYTES);
  const state = take(Float32Array, STATE_FIELDS);
  const flags = new Int32Array(state.buffer, state.byteOffset, STATE_FIELDS);
  const sums = take(Float32Array, LANES);
  const weights = take(Float32Array, ids.length * LANES);
  const factors = take(Float32Array, ids.length);
  factors.set(rows.idf);
  const duals = take(Float32Array, n * LANES);
  const order = take(Int32Array, n);
  const begins = writeEntries(rows, take(Float32Array, entries));
  const records = take(Int32Array, n * ROW_FIELDS);
  const numbers = new Float32Array(records.buffer, records.byteOffset, records.length);
  for (let at = 0; at < n; at++) {
    const row = chosen[at];
    const slack = 0.5 / (cost * (costs?.[at] ?? 1));
    records.set([begins[row], begins[row + 1], labels[at]], at * ROW_FIELDS);
    numbers.set([slack, 1 / (1 + squares[row] + slack)], at * ROW_FIELDS + 3);
  }
  const bias = state.subarray(STATE.bias, STATE.bias + LANES);

  return {
    weights,
    bias,
    duals,
    release,
    reset(from) {
      weights.fill(0);
      duals.fill(0);
      for (let lane = 0; lane < LANES; lane++) {
        state[STATE.bias + lane] = 0;
        flags[STATE.routes + lane] = from + lane;
        flags[STATE.active + lane] = -1;
        state[STATE.one + lane] = 1;
        state[STATE.minusOne + lane] = -1;
      }
    },
    addDuals() {
      const { byteOffset, byteLength } = records;
      loops.addDuals(byteOffset, byteOffset + byteLength, duals.byteOffset, weights.byteOffset, state.byteOffset);
    },
    descend(offsets, tolerance) {
      order.set(offsets);
      state.fill(0, STATE.worst, STATE.worst + LANES);
      const { byteOffset, byteLength } = order;
      const [from, dual, weight, own] = [records, duals, weights, state].map((array) => array.byteOffset);
      loops.descend(byteOffset, byteOffset + byteLength, from, dual, weight, own);
      let active = 0;
      for (let lane = 0; lane < LANES; lane++) {
        if (state[STATE.worst + lane] < tolerance) flags[STATE.active + lane] = 0;
        if (flags[STATE.active + lane] !== 0) active++;
      }
      return active === 0;
    },
    round({ floor, scale }) {
      const { byteOffset, byteLength } = factors;
      loops.roundLanes(byteOffset, byteOffset + byteLength, weights.byteOffset, floor, scale);
    },
    predict(row) {
      sums.set(bias);
      loops.sumLanes(begins[row], begins[row + 1], weights.byteOffset, sums.byteOffset);
      return sums;
    },
  };
}

/** Converts an order of the chosen rows to the offsets that `descend` reads. */
export function offsetsOf(order: Int32Array): Int32Array {
  return order.map((at) => at * DUAL_BYTES);
}

/** Returns the byte offsets of the rows, and the end of the last one. */
function writeEntries({ starts, indices, values }: LexicalRows, entries: Float32Array): Int32Array {
  const offsets = new Int32Array(entries.buffer, entries.byteOffset, entries.length);
  const begins = new Int32Array(starts.length).fill(entries.byteOffset);
  let at = 0;
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let entry = starts[row]; entry < starts[row + 1]; entry++, at += ENTRY_FIELDS) {
      offsets[at] = indices[entry] * DUAL_BYTES;
      entries[at + 1] = values[entry];
    }
    // The loops read two entries at once, so an odd number of entries is filled up with a zero.
    at += at % (2 * ENTRY_FIELDS);
    begins[row + 1] = entries.byteOffset + at * FIELD_BYTES;
  }
  return begins;
}
