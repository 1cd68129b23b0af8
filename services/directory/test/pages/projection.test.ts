import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { DEPARTEMENTS } from "../../src/domain/reference.ts";
import { cellWidth, clusterPoints } from "../../src/pages/browser/clusters.js";
import {
  TERRITORIES,
  circleAround,
  isOffTheMap,
  planeBounds,
  territoryOf,
} from "../../src/pages/browser/projection.js";

const runs = { seed: 7, numRuns: 300 };

test("unprojects every projected location of a territory to itself", () => {
  for (const { box, project, unproject } of TERRITORIES) {
    const [west, south, east, north] = box;
    const degrees = (from: number, to: number) => fc.double({ min: from, max: to, noNaN: true });
    fc.assert(
      fc.property(degrees(south, north), degrees(west, east), (lat, lon) => {
        const back = unproject(project({ lat, lon }));
        assert.ok(Math.abs(back.lat - lat) < 1e-9 && Math.abs(back.lon - lon) < 1e-9);
      }),
      runs,
    );
  }
});

test("keeps north up and distances within two percent in the metropole", () => {
  const [metropole] = TERRITORIES;
  assert.ok(metropole !== undefined);
  const south = metropole.project({ lat: 43.3, lon: 3 });
  const north = metropole.project({ lat: 50.7, lon: 3 });
  assert.ok(north.y < south.y && Math.abs(north.x - south.x) < 1e-6);
  const kilometres = 7.4 * 111.195;
  assert.ok(Math.abs(south.y - north.y - kilometres) < kilometres * 0.02);
});

test("assigns every département to its territory", () => {
  for (const { code, box } of DEPARTEMENTS) {
    const middle = { lat: (box[1] + box[3]) / 2, lon: (box[0] + box[2]) / 2 };
    assert.equal(territoryOf(middle)?.id, code.startsWith("97") ? code : "metropole");
    assert.equal(isOffTheMap(middle), false);
  }
});

test("Saint-Pierre-et-Miquelon, Nouméa and New York are outside the map", () => {
  for (const [lat, lon] of [
    [46.78, -56.17],
    [-22.27, 166.45],
    [40.7, -74],
  ] as const) {
    assert.equal(isOffTheMap({ lat, lon }), true);
  }
});

test("the bounds of a territory contain its corners", () => {
  for (const territory of TERRITORIES) {
    const { x0, x1, y0, y1 } = planeBounds(territory);
    const [west, south, east, north] = territory.box;
    for (const [lat, lon] of [
      [south, west],
      [north, east],
      [south, (west + east) / 2],
    ] as const) {
      const { x, y } = territory.project({ lat, lon });
      assert.ok(x >= x0 - 1e-9 && x <= x1 + 1e-9 && y >= y0 - 1e-9 && y <= y1 + 1e-9);
    }
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

test("clustering neither loses nor duplicates points at any zoom", () => {
  const point = fc.record({
    x: fc.double({ min: -900, max: 900, noNaN: true }),
    y: fc.double({ min: -900, max: 900, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(point, { maxLength: 200 }),
      fc.double({ min: 0.1, max: 400, noNaN: true }),
      (points, scale) => {
        const clusters = clusterPoints(
          points.map((point, item) => ({ ...point, item })),
          cellWidth(points.length, scale),
        );
        const items = clusters.flatMap((cluster) => cluster.items);
        assert.deepEqual(
          items.toSorted((one, other) => one - other),
          points.map((_, item) => item),
        );
        for (const { spread } of clusters) assert.ok(spread * scale <= 43, "members of a cluster lie within a cell");
      },
    ),
    runs,
  );
});

test("points at one location form one cluster without spread", () => {
  const [cluster, ...others] = clusterPoints(
    [1, 2, 3].map((item) => ({ x: 4.2, y: -7, item })),
    cellWidth(3, 400),
  );
  assert.deepEqual([cluster?.items, cluster?.spread, others], [[1, 2, 3], 0, []]);
});
