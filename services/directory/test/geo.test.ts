/** Spherical distances against the haversine formula, and at boundaries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { chordBound, distanceKm, EARTH_RADIUS_KM, squaredChord, unitVector } from "../src/domain/geo.ts";

const lat = fc.double({ min: -90, max: 90, noNaN: true });
const lon = fc.double({ min: -180, max: 180, noNaN: true });
const chordBetween = (a: readonly [number, number], b: readonly [number, number]) =>
  squaredChord(unitVector(...a), unitVector(...b));

function haversineKm([latA, lonA]: readonly [number, number], [latB, lonB]: readonly [number, number]): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const h =
    Math.sin(radians(latB - latA) / 2) ** 2 +
    Math.cos(radians(latA)) * Math.cos(radians(latB)) * Math.sin(radians(lonB - lonA) / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

describe("great-circle distance", () => {
  it("equals the haversine formula to 3 decimals of a kilometer", () => {
    fc.assert(
      fc.property(
        lat,
        lon,
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (a, b, north, east) => {
          const other = [Math.max(-90, Math.min(90, a + north)), b + east] as const;
          assert.ok(Math.abs(distanceKm(chordBetween([a, b], other)) - haversineKm([a, b], other)) <= 0.000_51);
        },
      ),
      { seed: 1, numRuns: 2000 },
    );
  });

  it("is zero between equivalent coordinates at a pole and on the antimeridian", () => {
    assert.equal(distanceKm(chordBetween([90, 0], [90, 137])), 0);
    assert.equal(distanceKm(chordBetween([-90, -20], [-90, 137])), 0);
    assert.equal(distanceKm(chordBetween([12, 180], [12, -180])), 0);
  });

  it("of Paris and Rennes is 308 km", () => {
    assert.ok(Math.abs(distanceKm(chordBetween([48.8566, 2.3522], [48.1173, -1.6778])) - 308.4) < 0.5);
  });

  it("is symmetric", () => {
    fc.assert(
      fc.property(lat, lon, lat, lon, (a, b, c, d) => chordBetween([a, b], [c, d]) === chordBetween([c, d], [a, b])),
      { seed: 2 },
    );
  });
});

describe("the border of a circle", () => {
  it("is inclusive: with 3 decimals an item is inside exactly if its distance_km is at most the radius", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 4e-3, noNaN: true }), fc.integer({ min: -2, max: 2 }), (chord, steps) => {
        const radius = Math.round(distanceKm(chord) * 1000 + steps) / 1000;
        if (radius <= 0) return;
        assert.equal(chord <= chordBound(radius), distanceKm(chord) <= radius);
      }),
      { seed: 3, numRuns: 3000 },
    );
  });

  it("contains every point with an exact distance of at most the radius", () => {
    fc.assert(
      fc.property(lat, lon, lat, lon, (a, b, c, d) => {
        const exact = haversineKm([a, b], [c, d]);
        assert.ok(chordBetween([a, b], [c, d]) <= chordBound(exact));
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it("grows with the radius, and contains everything beyond half the earth's circumference", () => {
    const bounds = [0.0001, 0.001, 1, 10, 200, 5000, 20_000].map(chordBound);
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
    );
    assert.equal(chordBound(20_100), 4);
  });
});
