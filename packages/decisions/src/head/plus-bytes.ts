/**
 * The sparse part on disk: its weights in the order of feature and route, each place as the distance from the one before (LEB128 of
 * feature x routes + route, about two bytes), then four bits a weight, which all share one scale. The heaviest weights are kept when bytes
 * are short: about 11,000 of them fit.
 */
import { LEXICAL_BUCKETS } from "./lexical.ts";
import type { PlusWeights } from "./fit-plus.ts";

export interface Plus {
  readonly scale: number;
  /** For each feature: routes and integer weights. */
  readonly features: ReadonlyMap<number, { readonly routes: Uint8Array; readonly weights: Int8Array }>;
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
  const features = new Map<number, { routes: Uint8Array; weights: Int8Array }>();
  for (const [feature, places] of Map.groupBy(chosen, (at) => Math.floor(at / classes)))
    features.set(ids[feature], {
      routes: Uint8Array.from(places, (at) => at % classes),
      weights: Int8Array.from(places, (at) => inSteps(weights[at] / scale)),
    });
  return { scale, features };
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

export function plusToBytes({ scale, features }: Plus, classes: number): Uint8Array {
  const places: number[] = [];
  const nibbles: number[] = [];
  let before = 0;
  for (const [id, { routes, weights }] of features)
    for (let n = 0; n < routes.length; n++) {
      const place = id * classes + routes[n];
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
  const found = new Map<number, { routes: number[]; weights: number[] }>();
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
    const known = found.get(feature) ?? { routes: [], weights: [] };
    if (known.routes.length === 0) found.set(feature, known);
    known.routes.push(place % classes);
    known.weights.push(nibble < LARGEST ? nibble - LARGEST : nibble - LARGEST + 1);
  }
  if (at !== bytes.length) return null;
  const features = [...found].map(
    ([id, { routes, weights }]) => [id, { routes: Uint8Array.from(routes), weights: Int8Array.from(weights) }] as const,
  );
  return { scale: view.getFloat32(0, true), features: new Map(features) };
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
