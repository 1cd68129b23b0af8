/** The GeoJSON of the map's sources. */
import type { Feature, FeatureCollection } from "geojson";
import type { Item } from "./api.ts";
import type { Count, MapContent } from "./layout.ts";
import { circleAround } from "./territories.ts";
import type { Place } from "./view-state.ts";

/** Without the points, which `point-feed.ts` hands over in slices. */
export function toData({ circle, chosen, counts, regionCounts }: MapContent) {
  return {
    circle: collection(circle === null ? [] : [toCircle(circle)]),
    regions: collection(regionCounts.map(toCount)),
    counts: collection(counts.map(toCount)),
    chosen: collection(chosen?.location == null ? [] : [pointAt(chosen.location, {})]),
  };
}

export function collection(features: Feature[]): FeatureCollection {
  return { type: "FeatureCollection", features };
}

export function pointAt({ lat, lon }: Place, properties: Readonly<Record<string, unknown>>): Feature {
  return { type: "Feature", properties, geometry: { type: "Point", coordinates: [lon, lat] } };
}

/** None for an item without a location. */
export function toPoint({ location, type, title }: Item, index: number): Feature[] {
  return location == null ? [] : [{ ...pointAt(location, { index, type, title }), id: index }];
}

function toCount({ place, filter, value, label, count, chosen }: Count): Feature {
  return pointAt(place, { filter, value, label, count, chosen, short: abbreviate(count) });
}

function toCircle({ radius, ...place }: Place & { readonly radius: number }): Feature {
  const ring = circleAround(place, radius).map(({ lat, lon }) => [lon, lat]);
  return { type: "Feature", properties: {}, geometry: { type: "Polygon", coordinates: [[...ring, ring[0]]] } };
}

/** As MapLibre abbreviates the size of a cluster. */
function abbreviate(count: number): string {
  if (count >= 10_000) return `${Math.round(count / 1000)}k`;
  return count >= 1000 ? `${Math.round(count / 100) / 10}k` : String(count);
}
