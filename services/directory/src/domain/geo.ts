/**
 * Distances on the sphere, shared by every engine and the oracle. Points are unit vectors of doubles; two points are compared by
 * the square of the straight line (chord) between them, using additions and multiplications only, in one fixed order: IEEE 754
 * defines those to the last bit, so JavaScript and PostgreSQL get the same number and take the same side of every border.
 */

/** IUGG mean radius in kilometres. */
export const EARTH_RADIUS_KM = 6371.0088;

export interface UnitVector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Computed here only, at import and for the point asked for; engines store the three doubles and never derive them again. */
export function unitVector(lat: number, lon: number): UnitVector {
  const phi = toRadians(lat);
  const lambda = toRadians(lon);
  return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
}

/** PostgreSQL must write it in the same order: `((ax-bx)*(ax-bx) + (ay-by)*(ay-by)) + (az-bz)*(az-bz)`. */
export function squaredChord(a: UnitVector, b: UnitVector): number {
  const dx = a.x - b.x;
  const dy = a.y - b.y;
  const dz = a.z - b.z;
  return dx * dx + dy * dy + dz * dz;
}

/** Great-circle kilometres, 3 decimals: what `distance_km` shows. */
export function distanceKm(chord2: number): number {
  return Math.round(kilometres(chord2) * 1000) / 1000;
}

/**
 * The greatest squared chord that is still inside. The border is inclusive in both readings a client can have of it: an item is
 * inside when its exact distance is at most the radius, and when the rounded distance that it shows is (asking again with a
 * distance just read finds that item). Found by halving, since rounding has no exact inverse.
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

/** A micrometre: above what the formula of any client loses, below anything that a position means. */
const ROUNDING_KM = 1e-9;

function kilometres(chord2: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord2) / 2));
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
