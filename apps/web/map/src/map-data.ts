/** The GeoJSON of the map's sources. */
import type { Feature, FeatureCollection } from "geojson";
import type { Item } from "./api.ts";
import type { Count, MapContent } from "./layout.ts";
import { circleAround } from "./territories.ts";
import type { Place } from "./view-state.ts";

export type MapData = FeatureCollection;
export type SourceName = "points" | "counts" | "regions" | "circle" | "chosen";

export function toData(content: MapContent): Readonly<Record<SourceName, MapData>> {
  const { circle, chosen } = content;
  return {
    circle: collection(circle === null ? [] : [toCircle(circle)]),
    regions: collection(content.regionCounts.map(toCount)),
    counts: collection(content.counts.map(toCount)),
    points: collection(content.points.flatMap(toPoint)),
    chosen: collection(chosen?.location == null ? [] : [pointAt(chosen.location, {})]),
  };
}

function collection(features: Feature[]): MapData {
  return { type: "FeatureCollection", features };
}

function pointAt({ lat, lon }: Place, properties: Readonly<Record<string, unknown>>): Feature {
  return { type: "Feature", properties, geometry: { type: "Point", coordinates: [lon, lat] } };
}

function toPoint({ location, type, title }: Item, index: number): Feature[] {
  return location == null ? [] : [pointAt(location, { index, type, title })];
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
