/**
 * The sparse part on disk: its weights in the order of feature and route, each place as the distance from the one before (LEB128 of
 * feature x routes + route, about two bytes), then four bits a weight, which all share one scale. The heaviest weights are kept when bytes
 * are short: about 11,000 of them fit.
 */
import { tableOfOwnRows } from "../text/own-rows.ts";
import { LEXICAL_BUCKETS } from "./lexical.ts";
import type { PlusWeights } from "./fit-plus.ts";

/** One entry for each weight that is kept, those of a feature side by side: a decision looks into dozens of features. */
export interface Plus extends PlusEntries {
  readonly scale: number;
  /** Place of a feature among `ids`. */
  placeOf(id: number): number | undefined;
}

interface PlusEntries {
  /** Features, rising. */
  readonly ids: Uint32Array;
  /** For each feature where its entries begin; and where the last ones end. */
  readonly starts: Uint32Array;
  readonly routes: Uint8Array;
  /** In steps of the scale. */
  readonly weights: Int8Array;
}

export const PLUS_BYTES_MOST = 24 * 1024;
/** Scale and number of weights. */
const HEAD_BYTES = 8;
/** -8..-1 and 1..8: a weight of zero is not kept. */
const LARGEST = 8;

/** `ids` rise, so the places of their weights do. */
export function packPlus({ ids, weights }: PlusWeights, classes: number, bytesMost = PLUS_BYTES_MOST): Plus {
  const order = heaviest(weights);
  const chosen = order.slice(0, fitting(order, { ids, classes, bytesMost })).sort((a, b) => a - b);
  const most = chosen.reduce((most, at) => Math.max(most, Math.abs(weights[at])), 0);
  const scale = most === 0 ? 1 : Math.fround(most / LARGEST);
  const entries = createEntries(chosen.length);
  for (const at of chosen) entries.add(ids[Math.floor(at / classes)], at % classes, inSteps(weights[at] / scale));
  return plusOf(scale, entries.finish());
}

function plusOf(scale: number, entries: PlusEntries): Plus {
  return { ...entries, scale, placeOf: tableOfOwnRows(entries.ids).get };
}

/** Takes entries in the order of their features. */
function createEntries(count: number) {
  const ids = new Uint32Array(count);
  const starts = new Uint32Array(count + 1);
  const routes = new Uint8Array(count);
  const weights = new Int8Array(count);
  let features = 0;
  let taken = 0;
  return {
    add(id: number, route: number, weight: number): void {
      if (features === 0 || ids[features - 1] !== id) {
        starts[features] = taken;
        ids[features++] = id;
      }
      routes[taken] = route;
      weights[taken++] = weight;
    },
    finish(): PlusEntries {
      starts[features] = taken;
      return { ids: ids.slice(0, features), starts: starts.slice(0, features + 1), routes, weights };
    },
  };
}

/** How many of the heaviest weights may be kept: a larger number needs more bytes, so it is searched by halves. */
function fitting(
  order: readonly number[],
  { ids, classes, bytesMost }: { readonly ids: Uint32Array; readonly classes: number; readonly bytesMost: number },
): number {
  let enough = 0;
  let tooMany = order.length + 1;
  while (tooMany - enough > 1) {
    const middle = (enough + tooMany) >> 1;
    const places = order.slice(0, middle).sort((a, b) => a - b);
    let bytes = HEAD_BYTES + Math.ceil(middle / 2);
    let before = 0;
    for (const at of places) {
      const place = ids[Math.floor(at / classes)] * classes + (at % classes);
      bytes += varintLength(place - before);
      before = place;
    }
    if (bytes <= bytesMost) enough = middle;
    else tooMany = middle;
  }
  return enough;
}

function inSteps(value: number): number {
  const steps = Math.min(LARGEST, Math.max(1, Math.round(Math.abs(value))));
  return value < 0 ? -steps : steps;
}

export function plusToBytes({ scale, ids, starts, routes, weights }: Plus, classes: number): Uint8Array {
  const places: number[] = [];
  const nibbles: number[] = [];
  let before = 0;
  for (let feature = 0; feature < ids.length; feature++)
    for (let n = starts[feature]; n < starts[feature + 1]; n++) {
      const place = ids[feature] * classes + routes[n];
      pushVarint(places, place - before);
      before = place;
      nibbles.push(weights[n] < 0 ? weights[n] + LARGEST : weights[n] + LARGEST - 1);
    }
  const out = Buffer.alloc(HEAD_BYTES + Math.ceil(nibbles.length / 2) + places.length);
  out.writeFloatLE(scale, 0);
  out.writeUInt32LE(nibbles.length, 4);
  for (const [place, nibble] of nibbles.entries()) out[HEAD_BYTES + (place >> 1)] |= nibble << (4 * (place & 1));
  out.set(places, HEAD_BYTES + Math.ceil(nibbles.length / 2));
  return out;
}

/** Null when the bytes are no sparse part for so many routes. */
export function plusFromBytes(bytes: Uint8Array, classes: number): Plus | null {
  if (bytes.length < HEAD_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint32(4, true);
  const start = HEAD_BYTES + Math.ceil(count / 2);
  // A place takes a byte at least: a count that the bytes cannot hold is refused before anything of that size is made.
  if (start + count > bytes.length) return null;
  const entries = createEntries(count);
  let at = start;
  let place = 0;
  for (let n = 0; n < count; n++) {
    let step = 0;
    let factor = 1;
    let byte: number;
    do {
      if (at >= bytes.length || factor > 2 ** 28) return null;
      byte = bytes[at++];
      step += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80);
    if (n > 0 && step === 0) return null;
    place += step;
    const feature = Math.floor(place / classes);
    if (feature >= LEXICAL_BUCKETS) return null;
    const nibble = (bytes[HEAD_BYTES + (n >> 1)] >> (4 * (n & 1))) & 0xf;
    entries.add(feature, place % classes, nibble < LARGEST ? nibble - LARGEST : nibble - LARGEST + 1);
  }
  return at === bytes.length ? plusOf(view.getFloat32(0, true), entries.finish()) : null;
}

function heaviest(weights: Float32Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < weights.length; at++) if (weights[at] !== 0) places.push(at);
  return places.sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]) || a - b);
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** 2^20 features of 255 routes need 28 bits. */
function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
}
