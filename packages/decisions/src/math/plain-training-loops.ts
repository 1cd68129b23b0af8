/** The loops of `dense-kernel.ts` and `lane-kernel.ts` without SIMD: the same sums in the same order. */
import { LANES, ROW_FIELDS, STATE } from "./lane-kernel.ts";

const { fround } = Math;

/** Addresses are byte offsets. */
export interface TrainingLoops {
  products(list: number, listEnd: number, rows: number, end: number, bias: number, out: number): void;
  momentumSteps(...parameters: MomentumParameters): void;
  sumLanes(entry: number, end: number, weights: number, sums: number): void;
  roundLanes(factors: number, end: number, weights: number, floor: number, scale: number): void;
  descend(order: number, orderEnd: number, rows: number, duals: number, weights: number, state: number): void;
  addDuals(rows: number, rowsEnd: number, duals: number, weights: number, state: number): void;
}

type MomentumParameters = [
  ends: number,
  endsEnd: number,
  entries: number,
  weights: number,
  velocity: number,
  momentum: number,
  decay: number,
  rate: number,
];

interface Memory {
  readonly floats: Float32Array;
  readonly integers: Int32Array;
}

export function plainLoops(buffer: ArrayBuffer, dims: number): TrainingLoops {
  const memory = {
    floats: new Float32Array(buffer, 0, buffer.byteLength >> 2),
    integers: new Int32Array(buffer, 0, buffer.byteLength >> 2),
  };
  return { ...plainDenseLoops(memory, dims), ...plainLaneLoops(memory) };
}

/** Index of a field at a byte offset. */
function at(offset: number): number {
  return offset >> 2;
}

function plainDenseLoops(
  { floats, integers }: Memory,
  dims: number,
): Pick<TrainingLoops, "products" | "momentumSteps"> {
  return {
    products(list, listEnd, rows, end, bias, out) {
      let target = at(out);
      for (let four = at(list); four < at(listEnd); four += 4)
        for (let row = at(rows), added = at(bias); row < at(end); row += dims, added++)
          for (let n = four; n < four + 4; n++)
            floats[target++] = fround(product(at(integers[n]), row) + floats[added]);
    },
    momentumSteps(ends, endsEnd, entries, weights, velocity, ...rates) {
      const [momentum, decay, rate] = rates.map(fround);
      let from = at(entries);
      let weight = at(weights);
      let velocityAt = at(velocity);
      for (let end = at(ends); end < at(endsEnd); end++) {
        const to = at(integers[end]);
        for (let d = 0; d < dims; d++, weight++, velocityAt++) {
          let sum = fround(fround(momentum * floats[velocityAt]) + fround(decay * floats[weight]));
          for (let entry = from; entry < to; entry += 2)
            sum = fround(sum + fround(floats[entry + 1] * floats[at(integers[entry]) + d]));
          floats[velocityAt] = sum;
          floats[weight] = fround(floats[weight] - fround(rate * sum));
        }
        from = to;
      }
    },
  };

  function product(x: number, row: number): number {
    const sums = [0, 0, 0, 0];
    for (let d = 0; d < dims; d++) sums[d % 4] = fround(sums[d % 4] + fround(floats[row + d] * floats[x + d]));
    return fround(fround(sums[0] + sums[1]) + fround(sums[2] + sums[3]));
  }
}

interface Lane {
  readonly weights: number;
  readonly state: number;
  readonly lane: number;
}

function plainLaneLoops({ floats, integers }: Memory): Omit<TrainingLoops, "products" | "momentumSteps"> {
  return {
    sumLanes(entry, end, weights, sums) {
      for (let lane = 0; lane < LANES; lane++)
        floats[at(sums) + lane] = sumOf(at(entry), at(end), { weights, lane, from: floats[at(sums) + lane] });
    },
    roundLanes(factors, end, weights, ...rounding) {
      const [floor, scale] = rounding.map(fround);
      for (let factor = at(factors), weight = at(weights); factor < at(end); factor++)
        for (let lane = 0; lane < LANES; lane++, weight++) {
          const whole = fround(floats[weight] * floats[factor]);
          const steps = Math.min(8, Math.max(1, roundedToEven(fround(Math.abs(whole) / scale))));
          const stored = fround(fround(steps * scale) / floats[factor]);
          floats[weight] = Math.abs(whole) >= floor ? Math.sign(whole) * stored : 0;
        }
    },
    descend(order, orderEnd, rows, duals, weights, state) {
      for (let next = at(order); next < at(orderEnd); next++) {
        const row = at(rows + 2 * integers[next]);
        const dual = at(duals + integers[next]);
        for (let lane = 0; lane < LANES; lane++) descendLane(row, dual + lane, { weights, state: at(state), lane });
      }
    },
    addDuals(rows, rowsEnd, duals, weights, state) {
      for (let row = at(rows), dual = at(duals); row < at(rowsEnd); row += ROW_FIELDS, dual += LANES)
        for (let lane = 0; lane < LANES; lane++)
          move(row, { weights, state: at(state), lane }, fround(signOf(row, at(state), lane) * floats[dual + lane]));
    },
  };

  function sumOf(
    begin: number,
    end: number,
    { weights, lane, from }: { readonly weights: number; readonly lane: number; readonly from: number },
  ): number {
    let even = from;
    let odd = 0;
    for (let entry = begin; entry < end; entry += 4) {
      even = fround(even + fround(floats[at(weights + integers[entry]) + lane] * floats[entry + 1]));
      odd = fround(odd + fround(floats[at(weights + integers[entry + 2]) + lane] * floats[entry + 3]));
    }
    return fround(even + odd);
  }

  function signOf(row: number, state: number, lane: number): number {
    return integers[row + 2] === integers[state + STATE.routes + lane] ? 1 : -1;
  }

  function descendLane(row: number, dual: number, { weights, state, lane }: Lane): void {
    const from = floats[state + STATE.bias + lane];
    const sum = sumOf(at(integers[row]), at(integers[row + 1]), { weights, lane, from });
    const sign = signOf(row, state, lane);
    const before = floats[dual];
    const slope = fround(fround(fround(sign * sum) - 1) + fround(floats[row + 3] * before));
    if (integers[state + STATE.active + lane] === 0 || (before === 0 && slope >= 0)) return;
    const worst = state + STATE.worst + lane;
    floats[worst] = Math.max(floats[worst], Math.abs(slope));
    floats[dual] = Math.max(0, fround(before - fround(slope * floats[row + 4])));
    move(row, { weights, state, lane }, fround(sign * fround(floats[dual] - before)));
  }

  function move(row: number, { weights, state, lane }: Lane, by: number): void {
    for (let entry = at(integers[row]); entry < at(integers[row + 1]); entry += 2) {
      const weight = at(weights + integers[entry]) + lane;
      floats[weight] = fround(floats[weight] + fround(by * floats[entry + 1]));
    }
    floats[state + STATE.bias + lane] = fround(floats[state + STATE.bias + lane] + by);
  }
}

/** As SIMD rounds: halves to the even neighbor. */
function roundedToEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 === 1 ? rounded - 1 : rounded;
}
