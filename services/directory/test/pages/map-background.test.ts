import assert from "node:assert/strict";
import { test } from "node:test";
import { DEPARTEMENTS } from "../../src/domain/reference.ts";
import { mapBackground } from "../../src/pages/map-background.ts";

const square = [
  [2, 47],
  [3, 47],
  [3, 48],
  [2, 48],
  [2, 47],
];
const collection = (geometry: object, properties: object = { code: "18" }) => ({
  type: "FeatureCollection",
  attribution: "IGN",
  features: [{ type: "Feature", properties, geometry }],
});

test("the anchors are the 101 préfectures, 18 of them capitals of a région", () => {
  const { anchors } = mapBackground(null);
  assert.deepEqual(
    new Set(anchors.map((anchor) => anchor.code)),
    new Set(DEPARTEMENTS.map((departement) => departement.code)),
  );
  assert.equal(anchors.filter((anchor) => anchor.isCapital).length, 18);
});

test("falls back to the shipped outlines, each around its préfecture", () => {
  const { anchors, outlines, attribution } = mapBackground(null);
  assert.match(attribution ?? "", /IGN.*Licence Ouverte/);
  assert.equal(outlines.length, 101);
  for (const { code, polygons } of outlines) {
    const anchor = anchors.find((candidate) => candidate.code === code);
    const [lons, lats] = [0, 1].map((axis) => polygons.flat().flatMap((ring) => positions(ring, axis)));
    const isInside = (value = 0, all: readonly number[] = []) => value >= Math.min(...all) && value <= Math.max(...all);
    assert.ok(isInside(anchor?.lon, lons) && isInside(anchor?.lat, lats), code);
  }
});

/** Degrees of one axis from deltas. */
function positions(ring: readonly number[], axis: number): number[] {
  let at = 0;
  return ring.filter((_, index) => index % 2 === axis).map((difference) => (at += difference) / 10_000);
}

test("encodes outlines as deltas that decode to the installed positions", () => {
  const { outlines, attribution } = mapBackground(collection({ type: "Polygon", coordinates: [square] }));
  assert.deepEqual(outlines, [{ code: "18", polygons: [[[20_000, 470_000, 10_000, 0, 0, 10_000, -10_000, 0]]] }]);
  assert.equal(attribution, "IGN");
});

test("encodes islands and holes as separate rings, and accepts a département's name", () => {
  const { outlines } = mapBackground(
    collection({ type: "MultiPolygon", coordinates: [[square], [square, square]] }, { nom: "COTES D'ARMOR" }),
  );
  assert.deepEqual(
    outlines.map(({ code, polygons }) => [code, polygons.map((rings) => rings.length)]),
    [["22", [1, 2]]],
  );
});

test("ignores features that are not département outlines", () => {
  for (const wrong of [
    collection({ type: "Polygon", coordinates: [square] }, { code: "99" }),
    collection({ type: "Point" }),
    collection({ type: "Polygon", coordinates: [[[2, 47]]] }),
    { features: "none" },
    [],
  ]) {
    assert.deepEqual(
      mapBackground(wrong).outlines.flatMap((outline) => outline.polygons),
      [],
    );
  }
});
