/**
 * Computes the visible part of the plane, so that something fits between the overlays at the top and bottom of the map.
 * Pure.
 */

/** @typedef {{ x0: number, y0: number, x1: number, y1: number }} Bounds kilometers of the plane */
/**
 * @typedef {{ width: number, height: number, above: number, below: number }} Room pixels; `above` and `below` are
 * covered
 */
/** @typedef {{ x: number, y: number, pixelsPerKm: number }} Framing center of the map, and its scale */

/** Minimum height, even if overlays cover more. */
const LEAST_PIXELS = 80;
const FILL = 0.94;

/** @returns {Framing} */
export function frameBounds(
  /** @type {Bounds} */ { x0, y0, x1, y1 },
  /** @type {Room} */ { width, height, above, below },
) {
  const free = Math.max(LEAST_PIXELS, height - above - below);
  const pixelsPerKm = FILL * Math.min(width / (x1 - x0), free / (y1 - y0));
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2 + (below - above) / 2 / pixelsPerKm, pixelsPerKm };
}

/** Bounds around points with a margin of `km`. @returns {Bounds} */
export function boundsAround(/** @type {readonly { x: number, y: number }[]} */ points, /** @type {number} */ km) {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  return { x0: Math.min(...xs) - km, y0: Math.min(...ys) - km, x1: Math.max(...xs) + km, y1: Math.max(...ys) + km };
}
