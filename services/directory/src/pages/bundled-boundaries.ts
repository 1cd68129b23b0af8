/**
 * The shipped outlines as GeoJSON, for imports without installed ones: all 101 départements, simplified to 0.01 degrees
 * (1.1 km; overseas islands 0.0025). Near a border they may give the neighbor.
 */
import shipped from "./boundaries.json" with { type: "json" };

export function shippedCollection(): unknown {
  return {
    type: "FeatureCollection",
    features: shipped.outlines.map(({ code, polygons }) => ({
      type: "Feature",
      properties: { code },
      geometry: { type: "MultiPolygon", coordinates: polygons.map((rings) => rings.map(positionsOf)) },
    })),
  };
}

/** The first position, then deltas; closes the ring. */
function positionsOf(numbers: readonly number[]): [number, number][] {
  const ring: [number, number][] = [];
  let [lon, lat] = [0, 0];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    [lon, lat] = [lon + numbers[at], lat + numbers[at + 1]];
    ring.push([lon / shipped.units_per_degree, lat / shipped.units_per_degree]);
  }
  return [...ring, ring[0]];
}
