/** The GeoJSON of the map's sources. */
import type { Feature, FeatureCollection, Point } from "geojson";
import type { Item } from "./api.ts";
import type { Count, MapContent } from "./layout.ts";
import { circleAround } from "./territories.ts";
import type { Place } from "./view-state.ts";

export const EMPTY: MapContent = {
  points: [],
  counts: [],
  regionCounts: [],
  circle: null,
  chosen: null,
  chosenDepartements: [],
};

/** At lower zooms counts are per région. */
export const DEPARTEMENTS_FROM = 5;
/** Seats of régions are named from here on, the other préfectures from the next. */
export const CAPITALS_FROM = 5;
export const TOWNS_FROM = 6.5;
/** From `maxZoom` on points are not clustered. The radius is in pixels. */
export const CLUSTERS = { maxZoom: 14, radius: 42 };

/** Returns the data without the points, which `point-feed.ts` adds in slices. */
export function toData({ circle, chosen, counts, regionCounts }: MapContent) {
  return {
    circle: collection(circle === null ? [] : [toCircle(circle)]),
    regions: collection(toCounts(regionCounts)),
    counts: collection(toCounts(counts)),
    chosen: collection(chosen?.location == null ? [] : [pointAt(chosen.location, {})]),
  };
}

export function collection(features: Feature[]): FeatureCollection {
  return { type: "FeatureCollection", features };
}

export function pointAt<P extends object>({ lat, lon }: Place, properties: P): Feature<Point, P> {
  return { type: "Feature", properties, geometry: { type: "Point", coordinates: [lon, lat] } };
}

/** No point for an item without a location. */
export function toPoint({ location, type, title }: Item, index: number) {
  return location == null ? [] : [{ ...pointAt(location, { index, type, title }), id: index }];
}

/** The area of a circle grows with its count; the radius is in pixels. */
export function toCounts(counts: readonly Count[]) {
  const largest = counts.reduce((most, { count }) => Math.max(most, count), 1);
  return counts.map(({ place, filter, value, label, count, chosen }) => {
    const radius = 8 + 9 * Math.sqrt(count / largest);
    return pointAt(place, { filter, value, label, count, chosen, radius, short: abbreviate(count) });
  });
}

/** In pixels; the same formula as in the paint of the clusters in `map-style.ts`. */
export function clusterRadius(count: number): number {
  return 11 + (19 * Math.log10(count)) / 5;
}

function toCircle({ radius, ...place }: Place & { readonly radius: number }): Feature {
  const ring = circleAround(place, radius).map(({ lat, lon }) => [lon, lat]);
  return { type: "Feature", properties: {}, geometry: { type: "Polygon", coordinates: [[...ring, ring[0]]] } };
}

/** Abbreviates like MapLibre's cluster sizes. */
export function abbreviate(count: number): string {
  if (count >= 10_000) return `${Math.round(count / 1000)}k`;
  return count >= 1000 ? `${Math.round(count / 100) / 10}k` : String(count);
}
