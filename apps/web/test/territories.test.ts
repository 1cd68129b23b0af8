import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  boxAround,
  circleAround,
  isInside,
  isOffTheMap,
  TERRITORIES,
  territoryOf,
  toCamera,
  toMapZoom,
} from "../map/src/territories.ts";

const runs = { seed: 7, numRuns: 300 };

test("Saint-Pierre-et-Miquelon, Nouméa and New York are outside the map", () => {
  for (const [lat, lon] of [
    [46.78, -56.17],
    [-22.27, 166.45],
    [40.7, -74],
  ] as const) {
    assert.equal(isOffTheMap({ lat, lon }), true);
  }
});

test("every point of a circle is at the radius from its center", () => {
  const rad = Math.PI / 180;
  fc.assert(
    fc.property(
      fc.double({ min: -60, max: 60, noNaN: true }),
      fc.double({ min: -179, max: 179, noNaN: true }),
      fc.double({ min: 0.5, max: 200, noNaN: true }),
      (lat, lon, km) => {
        for (const point of circleAround({ lat, lon }, km, 12)) {
          const cos =
            Math.sin(lat * rad) * Math.sin(point.lat * rad) +
            Math.cos(lat * rad) * Math.cos(point.lat * rad) * Math.cos((point.lon - lon) * rad);
          const distance = 6371.0088 * Math.acos(Math.min(1, cos));
          assert.ok(Math.abs(distance - km) < 0.05, `${distance} is not ${km}`);
        }
      },
    ),
    runs,
  );
});

test("the box around locations contains them and every location within its margin", () => {
  const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
  const places = fc.array(fc.record({ lat: degrees(70), lon: degrees(150) }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(places, fc.double({ min: 0.5, max: 100, noNaN: true }), (all, km) => {
      for (const place of all) assert.ok(isInside(place, boxAround(all, km)));
      assert.ok(
        circleAround(all[0], km * 0.99, 8).every(
          (place) => all.length > 1 || isInside(place, boxAround(all, km * 1.2)),
        ),
      );
    }),
    runs,
  );
});

test("a box whose west is above its east crosses the antimeridian", () => {
  assert.deepEqual(
    [179, -179, 0].map((lon) => isInside({ lat: 0, lon }, [170, -10, -170, 10])),
    [true, true, false],
  );
});

test("restores the zoom of the map from the URL at any latitude", () => {
  const place = fc.record({
    lat: fc.double({ min: -60, max: 60, noNaN: true }),
    lon: fc.double({ min: -179, max: 179, noNaN: true }),
  });
  fc.assert(
    fc.property(place, fc.double({ min: 2, max: 18, noNaN: true }), (center, zoom) => {
      const camera = toCamera(center, zoom);
      assert.ok(Math.abs(toMapZoom(camera) - zoom) < 1e-9);
      assert.equal(camera.territory, territoryOf(center).id);
      assert.ok(TERRITORIES.some(({ id }) => id === camera.territory));
    }),
    runs,
  );
});
