/** Which part of the plane a map shows, so that something fits between what covers the map's top and bottom. Pure. */

/** @typedef {{ x0: number, y0: number, x1: number, y1: number }} Bounds kilometres of the plane */
/** @typedef {{ width: number, height: number, above: number, below: number }} Room pixels; `above` and `below` are covered */
/** @typedef {{ x: number, y: number, pixelsPerKm: number }} Framing middle of the whole map, and its scale */

/** However little is free, this much is used. */
const LEAST_PIXELS = 80;
/** A little air at the edges. */
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

/** Bounds around points, with so many kilometres on every side. @returns {Bounds} */
export function boundsAround(/** @type {readonly { x: number, y: number }[]} */ points, /** @type {number} */ km) {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  return { x0: Math.min(...xs) - km, y0: Math.min(...ys) - km, x1: Math.max(...xs) + km, y1: Math.max(...ys) + km };
}
