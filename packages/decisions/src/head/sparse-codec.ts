/**
 * Encodes the sparse part in bits. A feature has its distance from the previous one and its number of routes; each of
 * these routes has an index, a weight (1 to 8 steps) and a sign. The largest weights are kept, and take about 13 bits
 * each.
 */
import { bitsBelow, createBitReader, createBitWriter, riceBits, riceBitsFor } from "../artifact/bit-packing.ts";
import { tableOfOwnRows } from "../text/own-embedding-rows.ts";
import { LEXICAL_BUCKETS } from "./lexical.ts";
import type { LexicalWeights } from "./lexical-rows.ts";

/** One entry per weight, grouped by feature: a decision looks up dozens of features. */
export interface SparseWeights extends PlusEntries {
  readonly scale: number;
  indexOf(id: number): number | undefined;
}

interface PlusEntries {
  readonly ids: Uint32Array;
  /** Where the entries of each feature start, and where the last ones end. */
  readonly starts: Uint32Array;
  readonly routes: Uint8Array;
  readonly weights: Int8Array;
}

export const SPARSE_BYTES_MAX = 24 * 1024;
/** Scale, number of features, lower bits of distances, route counts and weights, and a zero. */
const HEAD_BYTES = 12;
/** -8..-1 and 1..8: zero weights are not stored. */
const LARGEST = 8;
/** Minimum bits of a feature. */
const FEWEST_BITS = 2;
/** A weight takes this many bits in most heads; this is the first guess. */
const USUAL_BITS = 13;
const PACKING_ROUNDS = 6;
const CLOSE_ENOUGH = 0.97;
const MARGIN = 0.99;

export function packSparse(
  { ids, weights }: Pick<LexicalWeights, "ids" | "weights">,
  classes: number,
  bytesMost = SPARSE_BYTES_MAX,
): SparseWeights {
  // A weight takes at least the bits of a route, a size and a sign.
  const order = heaviest(weights, Math.ceil((bytesMost * 8) / (Math.floor(Math.log2(classes)) + 2)));
  const scale = order.length === 0 ? 1 : Math.fround(Math.abs(weights[order[0]]) / LARGEST);
  let count = Math.min(order.length, Math.floor((bytesMost * 8) / USUAL_BITS));
  let packed = keep(count);
  let best = keep(0);
  // The size is nearly proportional to the number of weights, so each round comes closer to the limit, from either
  // side.
  for (let round = 0; round < PACKING_ROUNDS; round++) {
    const bytes = encodedBytes(packed, classes);
    if (bytes <= bytesMost) best = packed;
    if (bytes <= bytesMost && (count === order.length || bytes > CLOSE_ENOUGH * bytesMost)) break;
    count = Math.min(order.length, Math.floor((count * bytesMost * MARGIN) / Math.max(1, bytes)));
    packed = keep(count);
  }
  return best;

  function keep(most: number): SparseWeights {
    return keepAt(order.subarray(0, most), { ids, weights, classes, scale });
  }
}

/** A file keeps weights of at least `floor`, in up to eight steps of `scale`. */
export interface Rounding {
  readonly floor: number;
  readonly scale: number;
}

/** The rounding that turned these weights into `packed`. */
export function roundingOf(
  packed: SparseWeights,
  { ids, weights }: Pick<LexicalWeights, "ids" | "weights">,
  classes: number,
): Rounding {
  let floor = Infinity;
  let index = 0;
  for (const [feature, id] of packed.ids.entries()) {
    while (ids[index] < id) index++;
    for (let entry = packed.starts[feature]; entry < packed.starts[feature + 1]; entry++)
      floor = Math.min(floor, Math.abs(weights[index * classes + packed.routes[entry]]));
  }
  return { floor, scale: packed.scale };
}

/** A weight as a file would store it. */
export function roundedWeight(weight: number, { floor, scale }: Rounding): number {
  return weight >= floor || weight <= -floor ? inSteps(weight / scale) * scale : 0;
}

interface WeightTable extends Pick<LexicalWeights, "ids" | "weights"> {
  readonly classes: number;
  readonly scale: number;
}

function keepAt(indices: Uint32Array, { ids, weights, classes, scale }: WeightTable): SparseWeights {
  const entries = createEntries();
  for (const at of Uint32Array.from(indices).sort())
    entries.add(ids[Math.floor(at / classes)], at % classes, inSteps(weights[at] / scale));
  return plusOf(scale, entries.finish());
}

function plusOf(scale: number, entries: PlusEntries): SparseWeights {
  return { ...entries, scale, indexOf: tableOfOwnRows(entries.ids).get };
}

function createEntries() {
  const ids: number[] = [];
  const starts: number[] = [];
  const routes: number[] = [];
  const weights: number[] = [];
  return {
    add(id: number, route: number, weight: number): void {
      if (ids.at(-1) !== id) {
        starts.push(routes.length);
        ids.push(id);
      }
      routes.push(route);
      weights.push(weight);
    },
    finish(): PlusEntries {
      return {
        ids: Uint32Array.from(ids),
        starts: Uint32Array.from([...starts, routes.length]),
        routes: Uint8Array.from(routes),
        weights: Int8Array.from(weights),
      };
    },
  };
}

function inSteps(value: number): number {
  const steps = Math.min(LARGEST, Math.max(1, Math.round(Math.abs(value))));
  return value < 0 ? -steps : steps;
}

/** The numbers of lower bits for distances, route counts and sizes. */
function lowBitsOf({ ids, routes, weights }: PlusEntries) {
  const features = ids.length;
  const mean = (sum: number, count: number) => (count === 0 ? 0 : sum / count);
  let sizes = 0;
  for (let n = 0; n < weights.length; n++) sizes += Math.abs(weights[n]) - 1;
  return {
    distance: riceBitsFor(mean((ids.at(-1) ?? 0) - features, features)),
    count: riceBitsFor(mean(routes.length - features, features)),
    size: riceBitsFor(mean(sizes, weights.length)),
  };
}

export function encodeSparse(sparse: SparseWeights, classes: number): Uint8Array {
  const { scale, ids, starts, routes, weights } = sparse;
  const low = lowBitsOf(sparse);
  const bits = createBitWriter();
  for (let feature = 0; feature < ids.length; feature++) {
    bits.rice(distanceTo(ids, feature), low.distance);
    bits.rice(starts[feature + 1] - starts[feature] - 1, low.count);
    for (let n = starts[feature]; n < starts[feature + 1]; n++) {
      bits.below(routes[n], classes);
      bits.rice(Math.abs(weights[n]) - 1, low.size);
      bits.fixed(weights[n] < 0 ? 1 : 0, 1);
    }
  }
  const body = bits.finish();
  const out = Buffer.alloc(HEAD_BYTES + body.length);
  out.writeFloatLE(scale, 0);
  out.writeUInt32LE(ids.length, 4);
  out.set([low.distance, low.count, low.size], 8);
  out.set(body, HEAD_BYTES);
  return out;
}

/** Length of `encodeSparse`, without writing bits. */
export function encodedBytes(sparse: PlusEntries, classes: number): number {
  const { ids, starts, routes, weights } = sparse;
  const low = lowBitsOf(sparse);
  let bits = weights.length;
  for (let feature = 0; feature < ids.length; feature++) {
    bits += riceBits(distanceTo(ids, feature), low.distance);
    bits += riceBits(starts[feature + 1] - starts[feature] - 1, low.count);
  }
  for (let n = 0; n < weights.length; n++)
    bits += bitsBelow(routes[n], classes) + riceBits(Math.abs(weights[n]) - 1, low.size);
  return HEAD_BYTES + Math.ceil(bits / 8);
}

function distanceTo(ids: Uint32Array, feature: number): number {
  return ids[feature] - (feature === 0 ? 0 : ids[feature - 1] + 1);
}

/** Null if the bytes are not a sparse part for this number of routes. */
export function decodeSparse(bytes: Uint8Array, classes: number): SparseWeights | null {
  if (bytes.length < HEAD_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const features = view.getUint32(4, true);
  const [distanceBits, countBits, sizeBits, rest] = bytes.subarray(8, HEAD_BYTES);
  if (Math.max(distanceBits, countBits, sizeBits) > MOST_LOW_BITS || rest !== 0) return null;
  // Rejects counts that the bits cannot contain before allocating arrays of that size.
  if (features * FEWEST_BITS > (bytes.length - HEAD_BYTES) * 8) return null;
  const bits = createBitReader(bytes.subarray(HEAD_BYTES));
  const entries = createEntries();
  let id = -1;
  for (let feature = 0; feature < features; feature++) {
    const distance = bits.rice(distanceBits);
    const more = bits.rice(countBits);
    if (distance === null || more === null || more >= classes) return null;
    id += distance + 1;
    if (id >= LEXICAL_BUCKETS) return null;
    let before = -1;
    for (let n = 0; n <= more; n++) {
      const route = bits.below(classes);
      const size = bits.rice(sizeBits);
      const sign = bits.fixed(1);
      if (route === null || size === null || sign === null || route <= before || size >= LARGEST) return null;
      entries.add(id, route, sign === 1 ? -(size + 1) : size + 1);
      before = route;
    }
  }
  return bits.isAtEnd() ? plusOf(view.getFloat32(0, true), entries.finish()) : null;
}

/** There are 2^20 features, so no distance needs more. */
const MOST_LOW_BITS = 20;

/** Maximum number of candidates: a position takes the lower 22 bits of a double, next to the 31 bits of a float. */
const POSITIONS = 2 ** 22;

/** Returns the indices of the `most` largest weights, and possibly of a few more, in descending order of weight. */
function heaviest(weights: Float32Array, most: number): Uint32Array {
  const floor = floorOf(weights, most);
  const bits = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
  const indices: number[] = [];
  const keys: number[] = [];
  for (let at = 0; at < weights.length && indices.length < POSITIONS; at++) {
    if (weights[at] === 0 || Math.abs(weights[at]) < floor) continue;
    // The bits of positive floats, read as integers, have the same order as the floats. Among equal weights, the first
    // counts as the largest.
    keys.push((bits[at] & 0x7fffffff) * POSITIONS + (POSITIONS - 1 - indices.length));
    indices.push(at);
  }
  // Typed arrays sort numbers without a comparison function, which is faster.
  const sorted = Float64Array.from(keys).sort().reverse();
  return Uint32Array.from(sorted, (key) => indices[POSITIONS - 1 - (key % POSITIONS)]);
}

/**
 * Returns a size that `most` weights reach, and possibly a few more. It uses a histogram over the upper half of the
 * bits of a float, whose order is that of positive numbers, because large heads have millions of weights, too many to
 * sort.
 */
function floorOf(weights: Float32Array, most: number): number {
  const bits = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
  const counts = new Uint32Array(2 ** 15);
  for (let at = 0; at < bits.length; at++) counts[(bits[at] & 0x7fffffff) >>> 16]++;
  let reached = 0;
  let bin = counts.length - 1;
  while (bin > 0 && reached + counts[bin] <= most) reached += counts[bin--];
  return new Float32Array(Uint32Array.of(bin << 16).buffer)[0];
}
