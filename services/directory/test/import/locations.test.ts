/** Coordinates of rows, and the départements around them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { loadOutlines } from "../../src/domain/import/boundaries.ts";
import { readCoordinate, splitPair } from "../../src/domain/import/coordinates.ts";
import { importAll, outlineCollection, outlinesOf } from "./support.ts";
import { runs } from "../support/runs.ts";

describe("coordinates", () => {
  test("parse any decimal, with a point or a comma", () => {
    fc.assert(
      fc.property(fc.integer({ min: -180_000_000, max: 180_000_000 }), (micro) => {
        const text = (micro / 1e6).toFixed(6);
        assert.equal(readCoordinate(text)?.value, Number(text));
        assert.equal(readCoordinate(text.replace(".", ","))?.value, Number(text));
      }),
      { seed: 17, numRuns: runs(500) },
    );
  });

  test("reject text that is not a number", () => {
    for (const text of ["", "nord", "48.8.5", "12h30", "0x10", "Infinity", "48,85,3", "1e999 x"])
      assert.equal(readCoordinate(text), null, text);
    for (const text of ["", "48.85", "a,b,c", "1,2,3"]) assert.equal(splitPair(text), null, text);
  });
});

test("finds the département of a point on an island without an outline", async () => {
  const { accepted } = await importAll({
    path: "islands.csv",
    content: "id,nom,lat,lon\n1,Saint-Denis,-20.88,55.45\n2,Cayenne,4.93,-52.33\n3,Roseau,15.3,-61.39\n",
    mapping: { id: "id", title: "nom", location: { lat: "lat", lon: "lon" } },
  });
  const codes = accepted.map(({ item }) => [item.item.departement?.code ?? null, item.item.region?.code ?? null]);
  assert.deepEqual(codes, [
    ["974", "04"],
    [null, null],
    [null, null],
  ]);
});

describe("outlines", () => {
  const square = (west: number, south: number, size: number): number[][] => [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ];

  test("assign a point to the polygon around it, and in a hole to the neighbor", () => {
    const outlines = outlinesOf(
      outlineCollection([
        { code: "03", type: "Polygon", coordinates: [square(2, 46, 1), square(2.4, 46.4, 0.2)] },
        { code: "63", type: "MultiPolygon", coordinates: [[square(2.4, 46.4, 0.2)], [square(10, 50, 1)]] },
      ]),
    );
    assert.equal(outlines.departementAt(46.1, 2.1), "03");
    assert.equal(outlines.departementAt(46.5, 2.5), "63");
    assert.equal(outlines.departementAt(50.5, 10.5), "63");
    assert.equal(outlines.departementAt(46.5, 3.008), "03", "600 m outside");
    assert.equal(outlines.departementAt(46.5, 3.05), null, "4 km outside");
    assert.deepEqual(outlines.codes, ["03", "63"]);
  });

  test("report all errors of an outline file", () => {
    const loaded = loadOutlines(
      outlineCollection([
        { code: "99", type: "Polygon", coordinates: [square(0, 0, 1)] },
        { code: "03", type: "Point", coordinates: [0, 0] },
        {
          code: "03",
          type: "Polygon",
          coordinates: [
            [
              [0, 0],
              [1, 1],
              [2, 2],
            ],
          ],
        },
        {
          code: "03",
          type: "Polygon",
          coordinates: [
            [
              [0, 0],
              [652_000, 6_862_000],
              [1, 1],
              [0, 0],
            ],
          ],
        },
      ]),
    );
    assert.ok("issues" in loaded);
    assert.deepEqual(
      loaded.issues.map((issue) => issue.split(":")[0]),
      ["feature 1", "feature 2", "feature 3", "feature 4"],
    );
    assert.ok("issues" in loadOutlines({ type: "Topology" }));
  });
});
