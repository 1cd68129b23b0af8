/**
 * Located items by bands of latitude (a tenth of a degree), then by longitude: a circle touches few bands, and its
 * candidates are contiguous in each. The box is slightly too wide; the exact chord decides.
 */
import type { Box } from "../catalogue.ts";
import { EARTH_RADIUS_KM, unitVector, type UnitVector } from "../geo.ts";

const BANDS_PER_DEGREE = 10;
const BANDS = 180 * BANDS_PER_DEGREE + 1;
/** Extra margin of the box: the boundary is inclusive up to half a meter (see `chordBound`). */
const MARGIN_KM = 0.001;
/** Extra margin in degrees: far above rounding errors, too small to cost time. */
const SLACK = 1e-6;
export const NO_POSITION = 0xffff_ffff;

export interface Grid {
  /** Points of band b are at `bands[b]` to `bands[b + 1]`. */
  readonly bands: Uint32Array;
  readonly ids: Uint32Array;
  readonly vectors: Float64Array;
  readonly positions: Uint32Array;
  /** By position, in millionths of a degree from the south pole and from the antimeridian. */
  readonly lats: Uint32Array;
  readonly lons: Uint32Array;
}

export interface Circle {
  readonly lat: number;
  readonly lon: number;
  readonly radiusKm: number;
}

/** `lats` and `lons` by id, NaN without a location. */
export function buildGrid(lats: Float64Array, lons: Float64Array): Grid {
  const located: number[] = [];
  for (const [id, lat] of lats.entries()) if (!Number.isNaN(lat)) located.push(id);
  const bandOfId = (id: number) => bandOf(lats[id]);
  const ids = Uint32Array.from(located).sort((a, b) => bandOfId(a) - bandOfId(b) || lons[a] - lons[b] || a - b);

  const bands = new Uint32Array(BANDS + 1);
  const vectors = new Float64Array(ids.length * 3);
  const positions = new Uint32Array(lats.length).fill(NO_POSITION);
  const exact = { lats: new Uint32Array(ids.length), lons: new Uint32Array(ids.length) };
  for (const [position, id] of ids.entries()) {
    const { x, y, z } = unitVector(lats[id], lons[id]);
    vectors.set([x, y, z], position * 3);
    exact.lats[position] = exactLat(lats[id]);
    exact.lons[position] = exactLon(lons[id]);
    positions[id] = position;
    const band = bandOfId(id);
    bands[band + 1] = bands[band + 1] + 1;
  }
  for (let band = 0; band < BANDS; band++) bands[band + 1] = bands[band + 1] + bands[band];
  return { bands, ids, vectors, positions, ...exact };
}

/** Runs of points as [from, to) pairs; no point outside them is in the circle. */
export function runsAround(grid: Grid, { lat, lon, radiusKm }: Circle): readonly (readonly [number, number])[] {
  const angle = (radiusKm + MARGIN_KM) / EARTH_RADIUS_KM;
  const degrees = (angle * 180) / Math.PI + SLACK;
  const spread = longitudeSpread(lat, angle);
  const runs: [number, number][] = [];
  const last = bandOf(Math.min(90, lat + degrees));
  for (let band = bandOf(Math.max(-90, lat - degrees)); band <= last; band++) {
    const from = grid.bands[band];
    const to = grid.bands[band + 1];
    const add = (west: number, east: number) => {
      const run: [number, number] = [firstFrom(grid, west, from, to), firstFrom(grid, east, from, to)];
      if (run[0] < run[1]) runs.push(run);
    };
    if (spread === null) runs.push([from, to]);
    else {
      add(lon - spread, lon + spread);
      // Beyond the antimeridian, longitudes continue on the other side.
      if (lon - spread < -180) add(lon - spread + 360, Infinity);
      if (lon + spread > 180) add(-Infinity, lon + spread - 360);
    }
  }
  return runs;
}

export function chordToPosition({ vectors }: Grid, position: number, center: UnitVector): number {
  const at = position * 3;
  const dx = center.x - vectors[at];
  const dy = center.y - vectors[at + 1];
  const dz = center.z - vectors[at + 2];
  return dx * dx + dy * dy + dz * dz;
}

function bandOf(lat: number): number {
  return Math.floor((lat + 90) * BANDS_PER_DEGREE);
}

/** Half the width in degrees of a circle's box; null when the circle contains a pole. */
function longitudeSpread(lat: number, angle: number): number | null {
  const phi = (Math.abs(lat) * Math.PI) / 180;
  if (phi + angle >= Math.PI / 2 - 1e-9) return null;
  const spread = (Math.asin(Math.min(1, Math.sin(angle) / Math.cos(phi))) * 180) / Math.PI;
  // Near a pole the rounding error grows with the spread.
  return Math.min(180, spread * (1 + SLACK) + SLACK);
}

/** The first position with at least this longitude, which may be infinite. */
function firstFrom(grid: Grid, west: number, from: number, to: number): number {
  return firstAt(grid.lons, exactLon(west), from, to);
}

function firstAt(lons: Uint32Array, west: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lons[middle] < west) low = middle + 1;
    else high = middle;
  }
  return low;
}

const EXACT = 1_000_000;

/** Exact for degrees with at most 6 decimals, so that a border belongs to its box in every engine. */
export function exactLat(lat: number): number {
  return Math.round((lat + 90) * EXACT);
}

export function exactLon(lon: number): number {
  return Math.round((lon + 180) * EXACT);
}

/** The box in the units of `lats` and `lons`: one or two ranges of longitudes. */
export interface ExactBox {
  readonly south: number;
  readonly north: number;
  readonly longitudes: readonly (readonly [west: number, east: number])[];
}

export function exactBox({ west, south, east, north }: Box): ExactBox {
  const [from, to] = [exactLon(west), exactLon(east)];
  const longitudes: [number, number][] =
    from <= to
      ? [[from, to]]
      : [
          [from, exactLon(180)],
          [0, to],
        ];
  return { south: exactLat(south), north: exactLat(north), longitudes };
}

/** Runs of points as [from, to) pairs: all points of the box, and points of its first and last band outside. */
export function runsInBox(grid: Grid, box: Box): readonly (readonly [number, number])[] {
  const { longitudes } = exactBox(box);
  const runs: [number, number][] = [];
  for (let band = bandOf(box.south); band <= bandOf(box.north); band++) {
    const [from, to] = [grid.bands[band], grid.bands[band + 1]];
    if (from === to) continue;
    for (const [west, east] of longitudes) {
      const run: [number, number] = [firstAt(grid.lons, west, from, to), firstAt(grid.lons, east + 1, from, to)];
      if (run[0] < run[1]) runs.push(run);
    }
  }
  return runs;
}

export function isInExactBox({ lats, lons }: Grid, position: number, box: ExactBox): boolean {
  const lat = lats[position];
  if (lat < box.south || lat > box.north) return false;
  const lon = lons[position];
  return box.longitudes.some(([west, east]) => lon >= west && lon <= east);
}
