/** GeoJSON (RFC 7946): positions are longitude, latitude; properties are the plan's fields without `location`. */
import type { ProjectedItem } from "./json.ts";

export function toFeature(item: ProjectedItem): Record<string, unknown> {
  const { location, ...properties } = item;
  return {
    type: "Feature",
    id: `${String(item["type"])}/${String(item["slug"])}`,
    geometry: pointOf(location),
    properties,
  };
}

function pointOf(location: unknown): Record<string, unknown> | null {
  if (typeof location !== "object" || location === null || !("lat" in location) || !("lon" in location)) return null;
  return { type: "Point", coordinates: [location.lon, location.lat] };
}

/** Text before the first and after the last feature, for streaming. */
export function collectionFrame(head: object): readonly [string, string] {
  const members = JSON.stringify({ type: "FeatureCollection", ...head });
  return [`${members.slice(0, -1)},"features":[`, "]}"];
}
