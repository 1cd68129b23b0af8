/**
 * Distances on the sphere, shared by all engines and the test oracle. Unit vectors are compared by squared chord in
 * a fixed order of operations, which IEEE 754 defines to the last bit: JavaScript and PostgreSQL agree on every
 * boundary.
 */

export const EARTH_RADIUS_KM = 6371.0088;

export interface UnitVector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Called only at import and for `near`; engines store the three doubles and never recompute them. */
export function unitVector(lat: number, lon: number): UnitVector {
  const phi = toRadians(lat);
  const lambda = toRadians(lon);
  return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
}

/** PostgreSQL must use the same order: `((ax-bx)*(ax-bx) + (ay-by)*(ay-by)) + (az-bz)*(az-bz)`. */
export function squaredChord(a: UnitVector, b: UnitVector): number {
  const dx = a.x - b.x;
  const dy = a.y - b.y;
  const dz = a.z - b.z;
  return dx * dx + dy * dy + dz * dz;
}

export function distanceKm(chord2: number): number {
  return Math.round(kilometres(chord2) * 1000) / 1000;
}

/**
 * The greatest squared chord within the radius. Inclusive for the rounded distance too, so that a query with a returned
 * `distance_km` finds that item. Found by bisection, because rounding has no exact inverse.
 */
export function chordBound(radiusKm: number): number {
  const isInside = (chord2: number) => kilometres(chord2) - ROUNDING_KM <= radiusKm || distanceKm(chord2) <= radiusKm;
  let inside = 0;
  let outside = 4;
  if (isInside(outside)) return outside;
  for (;;) {
    const middle = inside + (outside - inside) / 2;
    if (middle === inside || middle === outside) return inside;
    if (isInside(middle)) inside = middle;
    else outside = middle;
  }
}

/** One micrometer: above the rounding error of any client, below any meaningful precision. */
const ROUNDING_KM = 1e-9;

function kilometres(chord2: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord2) / 2));
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
