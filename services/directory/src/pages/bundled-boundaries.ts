/**
 * The shipped outlines as GeoJSON, for imports without installed ones: the 96 départements of the mainland and Corsica,
 * simplified to 0.01 degrees (1.1 km). Near a border they may give the neighbor.
 */
import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import shipped from "./boundaries.json" with { type: "json" };

type Ring = [number, number][];

export function shippedCollection(): unknown {
  return {
    type: "FeatureCollection",
    features: shipped.outlines.map(({ code, rings }) => ({
      type: "Feature",
      properties: { code },
      geometry: { type: "MultiPolygon", coordinates: polygonsOf(rings.map(positionsOf)) },
    })),
  };
}

/** The first position, then deltas; closes the ring. */
function positionsOf(numbers: readonly number[]): Ring {
  const ring: Ring = [];
  let [lon, lat] = [0, 0];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    [lon, lat] = [lon + numbers[at], lat + numbers[at + 1]];
    ring.push([lon / shipped.units_per_degree, lat / shipped.units_per_degree]);
  }
  return [...ring, ring[0]];
}

/** A ring inside another one of the same département is a hole (the Enclave des Papes in the Drôme). */
function polygonsOf(rings: readonly Ring[]): Ring[][] {
  const isHoleOf = (ring: Ring, outer: Ring) =>
    ring !== outer &&
    booleanPointInPolygon(ring[0], { type: "Polygon", coordinates: [outer] }, { ignoreBoundary: true });
  return rings
    .filter((ring) => !rings.some((outer) => isHoleOf(ring, outer)))
    .map((outer) => [outer, ...rings.filter((ring) => isHoleOf(ring, outer))]);
}
