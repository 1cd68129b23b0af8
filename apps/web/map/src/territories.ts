/** Metropolitan France and the overseas départements, each shown as a whole by one button; circles and scales. */
import { TILE_PIXELS } from "./mercator.ts";
import type { Box, Camera, Place } from "./view-state.ts";

export interface Territory {
  /** Code of the département, or "metropole". */
  readonly id: string;
  readonly name: string;
  readonly box: Box;
}

const EARTH_KM = 6371.0088;
const RADIAN = Math.PI / 180;

export const METROPOLE: Territory = { id: "metropole", name: "Métropole", box: [-5.2, 41.3, 9.7, 51.2] };
/** In the order of their buttons. */
export const TERRITORIES: readonly Territory[] = [
  METROPOLE,
  { id: "971", name: "Guadeloupe", box: [-61.9, 15.7, -60.9, 16.6] },
  { id: "972", name: "Martinique", box: [-61.3, 14.3, -60.7, 15] },
  { id: "973", name: "Guyane", box: [-54.7, 2, -51.5, 5.9] },
  { id: "974", name: "La Réunion", box: [55.1, -21.5, 55.9, -20.8] },
  { id: "976", name: "Mayotte", box: [44.9, -13.1, 45.4, -12.5] },
];

/** The territory of a location: overseas in or near its box, else the metropole. */
export function territoryOf({ lat, lon }: Place): Territory {
  const near = 0.5;
  const overseas = TERRITORIES.slice(1).find(
    ({ box: [west, south, east, north] }) =>
      lon >= west - near && lon <= east + near && lat >= south - near && lat <= north + near,
  );
  return overseas ?? METROPOLE;
}

/** True for locations outside all territories: Saint-Pierre-et-Miquelon, the Pacific, abroad. */
export function isOffTheMap(place: Place): boolean {
  return territoryOf(place) === METROPOLE && (place.lon < -9 || place.lon > 13 || place.lat < 39 || place.lat > 53);
}

/** West above east crosses the antimeridian. */
export function isInside({ lat, lon }: Place, [west, south, east, north]: Box): boolean {
  if (lat < south || lat > north) return false;
  return west <= east ? lon >= west && lon <= east : lon >= west || lon <= east;
}

/** The smallest box around the locations, with `km` on each side. */
export function boxAround(places: readonly Place[], km: number): Box {
  const [lats, lons] = [places.map(({ lat }) => lat), places.map(({ lon }) => lon)];
  const [south, north] = [lats.reduce((a, b) => Math.min(a, b)), lats.reduce((a, b) => Math.max(a, b))];
  const [west, east] = [lons.reduce((a, b) => Math.min(a, b)), lons.reduce((a, b) => Math.max(a, b))];
  const up = km / EARTH_KM / RADIAN;
  const across = up / Math.cos(((south + north) / 2) * RADIAN);
  return [west - across, south - up, east + across, north + up];
}

/** Points of a circle of `km` around a location, on the sphere. */
export function circleAround({ lat, lon }: Place, km: number, steps = 96): Place[] {
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

const KM_PER_TURN = 2 * Math.PI * EARTH_KM;

/** Pixels per kilometer at a zoom level of Web Mercator. */
export function pixelsPerKm(zoom: number, lat: number): number {
  return (TILE_PIXELS * 2 ** zoom) / (KM_PER_TURN * Math.cos(lat * RADIAN));
}

/** The zoom of the URL does not depend on the projection: a link shows the same scale as before MapLibre. */
export function toCamera({ lat, lon }: Place, zoom: number): Camera {
  return { territory: territoryOf({ lat, lon }).id, lat, lon, zoom: Math.log2(pixelsPerKm(zoom, lat)) + 3 };
}

export function toMapZoom({ lat, zoom }: Camera): number {
  return Math.log2((2 ** (zoom - 3) * KM_PER_TURN * Math.cos(lat * RADIAN)) / TILE_PIXELS);
}
