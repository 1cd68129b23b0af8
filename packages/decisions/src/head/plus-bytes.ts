/**
 * The sparse part on disk: features in rising order, each as the distance from the one before (LEB128), the number of its weights, and
 * for each the place of the route and a small integer; all integers share one scale. The heaviest weights come first when bytes are short.
 */
import type { PlusWeights } from "./fit-plus.ts";

export interface Plus {
  readonly scale: number;
  /** For each feature: routes and integer weights. */
  readonly features: ReadonlyMap<number, { readonly routes: Uint8Array; readonly weights: Int8Array }>;
}

export const PLUS_BYTES_MOST = 24 * 1024;
/** A feature costs about two bytes for its place, one for its count. */
const FEATURE_BYTES = 3;
const WEIGHT_BYTES = 2;

export function packPlus({ ids, weights }: PlusWeights, classes: number, bytesMost = PLUS_BYTES_MOST): Plus {
  const order = heaviest(weights);
  const chosen = new Map<number, number[]>();
  let bytes = 4;
  for (const at of order) {
    const feature = Math.floor(at / classes);
    const known = chosen.get(feature);
    const cost = WEIGHT_BYTES + (known === undefined ? FEATURE_BYTES : 0);
    if (bytes + cost > bytesMost) break;
    bytes += cost;
    if (known === undefined) chosen.set(feature, [at]);
    else known.push(at);
  }
  const scale = order.length === 0 ? 1 : Math.fround(Math.abs(weights[order[0]]) / 127);
  const features = [...chosen]
    .toSorted(([a], [b]) => a - b)
    .map(([feature, places]) => {
      const sorted = places.toSorted((a, b) => a - b);
      return [
        ids[feature],
        {
          routes: Uint8Array.from(sorted, (at) => at % classes),
          weights: Int8Array.from(sorted, (at) => Math.round(weights[at] / scale)),
        },
      ] as const;
    });
  return { scale, features: new Map(features) };
}

export function plusToBytes({ scale, features }: Plus): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const [id, { routes, weights }] of features) {
    pushVarint(bytes, id - before);
    before = id;
    bytes.push(routes.length);
    for (let place = 0; place < routes.length; place++) bytes.push(routes[place], weights[place] & 0xff);
  }
  const out = Buffer.alloc(4 + bytes.length);
  out.writeFloatLE(scale, 0);
  out.set(bytes, 4);
  return out;
}

/** Null when the bytes are no sparse part for so many routes. */
export function plusFromBytes(bytes: Uint8Array, classes: number): Plus | null {
  if (bytes.length < 4) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const features = new Map<number, { routes: Uint8Array; weights: Int8Array }>();
  let place = 4;
  let id = 0;
  while (place < bytes.length) {
    let step = 0;
    let shift = 0;
    let byte: number;
    do {
      if (place >= bytes.length || shift > 21) return null;
      byte = bytes[place++];
      step |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    id += step;
    const count = bytes[place++] ?? 0;
    if (count === 0 || place + 2 * count > bytes.length) return null;
    const routes = new Uint8Array(count);
    const weights = new Int8Array(count);
    for (let n = 0; n < count; n++) {
      routes[n] = bytes[place++];
      weights[n] = view.getInt8(place++);
      if (routes[n] >= classes) return null;
    }
    features.set(id, { routes, weights });
  }
  return { scale: view.getFloat32(0, true), features };
}

function heaviest(weights: Float32Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < weights.length; at++) if (weights[at] !== 0) places.push(at);
  return places.sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]) || a - b);
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
}
