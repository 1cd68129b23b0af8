/**
 * Merges points that would overlap into clusters, on a grid whose cells depend on the zoom in powers of two, not on the
 * pan, so that clusters are stable while panning. One pass; a cluster is at the mean position.
 */

/** @template T @typedef {{ x: number, y: number, item: T }} Located */
/** @template T @typedef {{ x: number, y: number, items: T[], spread: number }} Cluster */

/** Cell width in pixels at the middle of a zoom step: closer for few points than for many. */
const CELL_PIXELS = { few: 30, many: 60 };
const MANY = 600;

/** Cell width in kilometers. @returns {number} */
export function cellWidth(/** @type {number} */ points, /** @type {number} */ pixelsPerKm) {
  return CELL_PIXELS[points > MANY ? "many" : "few"] / 2 ** Math.round(Math.log2(pixelsPerKm));
}

/**
 * @template T
 * @param {readonly Located<T>[]} points plane positions in kilometers
 * @param {number} cell cell width in kilometers
 * @returns {Cluster<T>[]}
 */
export function clusterPoints(points, cell) {
  /** @type {Map<string, Located<T>[]>} */
  const cells = new Map();
  for (const point of points) {
    const name = `${Math.floor(point.x / cell)} ${Math.floor(point.y / cell)}`;
    const members = cells.get(name);
    if (members === undefined) cells.set(name, [point]);
    else members.push(point);
  }
  return [...cells.values()].map(merge);
}

/**
 * `spread` is the widest extent in kilometers; 0 when all members are at one location and zooming cannot separate them.
 * @template T @param {Located<T>[]} members @returns {Cluster<T>}
 */
function merge(members) {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  let [sumX, sumY] = [0, 0];
  for (const { x, y } of members) {
    [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
    sumX += x;
    sumY += y;
  }
  return {
    x: sumX / members.length,
    y: sumY / members.length,
    items: members.map((member) => member.item),
    spread: Math.max(x1 - x0, y1 - y0),
  };
}
