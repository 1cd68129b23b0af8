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
  const kilometres = 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord2) / 2));
  return Math.round(kilometres * 1000) / 1000;
}

/**
 * The greatest squared chord that is still inside: a point matches exactly when the `distance_km` it would show is at most the
 * radius, so that asking again with a distance just read finds that item. Found by halving, since rounding has no exact inverse.
 */
export function chordBound(radiusKm: number): number {
  let inside = 0;
  let outside = 4;
  if (distanceKm(outside) <= radiusKm) return outside;
  for (;;) {
    const middle = inside + (outside - inside) / 2;
    if (middle === inside || middle === outside) return inside;
    if (distanceKm(middle) <= radiusKm) inside = middle;
    else outside = middle;
  }
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
