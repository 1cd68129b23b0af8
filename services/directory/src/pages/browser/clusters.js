/**
 * Points that would overlap are drawn as one. A grid of the plane, whose cells follow the zoom in powers of two and not the
 * pan, so a cluster keeps its members while the map is moved. One pass over the points; the mean position is the cluster's.
 */

/** @template T @typedef {{ x: number, y: number, item: T }} Located */
/** @template T @typedef {{ x: number, y: number, items: T[], spread: number }} Cluster */

/** Width of a cell in pixels at the middle of a zoom step: few points may stand closer than many. */
const CELL_PIXELS = { few: 30, many: 60 };
const MANY = 600;

/** Width of a cell in kilometres. @returns {number} */
export function cellWidth(/** @type {number} */ points, /** @type {number} */ pixelsPerKm) {
  return CELL_PIXELS[points > MANY ? "many" : "few"] / 2 ** Math.round(Math.log2(pixelsPerKm));
}

/**
 * @template T
 * @param {readonly Located<T>[]} points positions in kilometres of the plane
 * @param {number} cell width of a cell in kilometres
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

/** `spread` is the widest extent in kilometres: 0 when all members stand on one spot, where zooming would not part them. @template T @param {Located<T>[]} members @returns {Cluster<T>} */
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
