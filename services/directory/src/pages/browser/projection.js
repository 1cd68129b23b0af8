/**
 * Projects degrees to a plane and back. Metropolitan France uses a Lambert conformal conic projection (parallels 44 and
 * 49 degrees as in Lambert-93, but on a sphere), overseas départements a local equirectangular one. Plane units are
 * kilometers, x east and y south.
 */

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ lat: number, lon: number }} Place */
/**
 * @typedef {object} Territory
 * @property {string} id code of the département, or "metropole"
 * @property {string} name
 * @property {readonly [number, number, number, number]} box west, south, east, north
 * @property {(place: Place) => Point} project
 * @property {(point: Point) => Place} unproject
 */

const EARTH_KM = 6371.0088;
const RADIAN = Math.PI / 180;

/** @returns {Pick<Territory, "project" | "unproject">} */
function lambert(/** @type {number} */ south, /** @type {number} */ north, /** @type {Place} */ origin) {
  const stretch = (/** @type {number} */ lat) => Math.tan(Math.PI / 4 + (lat * RADIAN) / 2);
  const n = Math.log(Math.cos(south * RADIAN) / Math.cos(north * RADIAN)) / Math.log(stretch(north) / stretch(south));
  const f = (Math.cos(south * RADIAN) * stretch(south) ** n) / n;
  const rho = (/** @type {number} */ lat) => (EARTH_KM * f) / stretch(Math.max(-80, Math.min(89.99, lat))) ** n;
  const rho0 = rho(origin.lat);
  return {
    project: ({ lat, lon }) => {
      const theta = n * (lon - origin.lon) * RADIAN;
      return { x: rho(lat) * Math.sin(theta), y: rho(lat) * Math.cos(theta) - rho0 };
    },
    unproject: ({ x, y }) => {
      const down = rho0 + y;
      const theta = Math.atan2(x, down);
      return {
        lat: (2 * Math.atan(((EARTH_KM * f) / Math.hypot(x, down)) ** (1 / n)) - Math.PI / 2) / RADIAN,
        lon: origin.lon + theta / n / RADIAN,
      };
    },
  };
}

/** @returns {Pick<Territory, "project" | "unproject">} */
function local(/** @type {Place} */ origin) {
  const narrow = Math.cos(origin.lat * RADIAN);
  return {
    project: ({ lat, lon }) => ({
      x: EARTH_KM * (lon - origin.lon) * RADIAN * narrow,
      y: -EARTH_KM * (lat - origin.lat) * RADIAN,
    }),
    unproject: ({ x, y }) => ({
      lat: origin.lat - y / EARTH_KM / RADIAN,
      lon: origin.lon + x / EARTH_KM / RADIAN / narrow,
    }),
  };
}

/** @returns {Territory} */
function overseas(/** @type {string} */ id, /** @type {string} */ name, /** @type {Territory["box"]} */ box) {
  const middle = { lat: (box[1] + box[3]) / 2, lon: (box[0] + box[2]) / 2 };
  return { id, name, box, ...local(middle) };
}

/** Metropolitan France first, then the insets in drawing order. @type {readonly Territory[]} */
export const TERRITORIES = [
  { id: "metropole", name: "Métropole", box: [-5.2, 41.3, 9.7, 51.2], ...lambert(44, 49, { lat: 46.5, lon: 3 }) },
  overseas("971", "Guadeloupe", [-61.9, 15.7, -60.9, 16.6]),
  overseas("972", "Martinique", [-61.3, 14.3, -60.7, 15]),
  overseas("973", "Guyane", [-54.7, 2, -51.5, 5.9]),
  overseas("974", "La Réunion", [55.1, -21.5, 55.9, -20.8]),
  overseas("976", "Mayotte", [44.9, -13.1, 45.4, -12.5]),
];

/** The territory that shows a location: overseas in or near its box, else the metropole. */
export function territoryOf(/** @type {Place} */ { lat, lon }) {
  const near = 0.5;
  const found = TERRITORIES.slice(1).find(
    ({ box: [west, south, east, north] }) =>
      lon >= west - near && lon <= east + near && lat >= south - near && lat <= north + near,
  );
  return found ?? TERRITORIES[0];
}

/** True for locations outside all maps: Saint-Pierre-et-Miquelon, the Pacific, abroad. */
export function isOffTheMap(/** @type {Place} */ place) {
  return (
    territoryOf(place) === TERRITORIES[0] && (place.lon < -9 || place.lon > 13 || place.lat < 39 || place.lat > 53)
  );
}

/**
 * Plane bounds of a territory's box in kilometers, including the bulge of a conic edge. @returns {{ x0: number, y0:
 * number, x1: number, y1: number }}
 */
export function planeBounds(/** @type {Territory} */ { box: [west, south, east, north], project }) {
  const middle = (west + east) / 2;
  const corners = [west, middle, east].flatMap((lon) => [project({ lat: south, lon }), project({ lat: north, lon })]);
  const xs = corners.map((point) => point.x);
  const ys = corners.map((point) => point.y);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** Points of a circle of `km` around a location, on the sphere. @returns {Place[]} */
export function circleAround(/** @type {Place} */ { lat, lon }, /** @type {number} */ km, steps = 96) {
  const reach = km / EARTH_KM;
  const sin = Math.sin(lat * RADIAN);
  const cos = Math.cos(lat * RADIAN);
  return Array.from({ length: steps }, (_, step) => {
    const bearing = (2 * Math.PI * step) / steps;
    const sinLat = sin * Math.cos(reach) + cos * Math.sin(reach) * Math.cos(bearing);
    const angle = Math.atan2(Math.sin(bearing) * Math.sin(reach) * cos, Math.cos(reach) - sin * sinLat);
    return { lat: Math.asin(sinLat) / RADIAN, lon: lon + angle / RADIAN };
  });
}

/** @returns {{ x: number, y: number }} canvas position of a plane position */
export function toScreen(
  /** @type {import("./renderer.js").Viewport} */ view,
  /** @type {{ x: number, y: number }} */ { x, y },
) {
  return {
    x: view.left + view.width / 2 + (x - view.x) * view.pixelsPerKm,
    y: view.top + view.height / 2 + (y - view.y) * view.pixelsPerKm,
  };
}
