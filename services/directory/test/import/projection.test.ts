/** Projected coordinates, against points whose degrees are published. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toDegrees, type Crs } from "../../src/domain/import/projection.ts";
import { importAll } from "./support.ts";

/** Meters between two near points. */
function distance(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const perDegree = 111_195;
  return Math.hypot((a.lat - b.lat) * perDegree, (a.lon - b.lon) * perDegree * Math.cos((a.lat * Math.PI) / 180));
}

describe("projected coordinates", () => {
  test("of Lambert-93 and UTM are converted within a meter", () => {
    // Stations of the SNCF list, and the origins of the projections.
    const points: readonly (readonly [Crs, number, number, number, number])[] = [
      ["EPSG:2154", 1_022_672.994_2, 6_747_305.211_6, 47.746_898_198_65, 7.308_132_635_7],
      ["EPSG:2154", 648_908.394_3, 6_872_903.217_1, 48.954_057_144_96, 2.302_366_002_24],
      ["EPSG:2154", 700_000, 6_600_000, 46.5, 3],
      ["EPSG:32631", 500_000, 4_982_950.4, 45, 3],
      ["EPSG:2975", 500_000, 7_677_852.36, -21, 57],
      ["EPSG:3857", 259_592.222, 6_257_717.91, 48.8988628, 2.3319566],
    ];
    for (const [crs, x, y, lat, lon] of points) assert.ok(distance(toDegrees(crs, x, y), { lat, lon }) < 1, crs);
  });

  test("are recognized from the départements of the rows, or declared in the mapping", async () => {
    const content = "id;nom;x;y;dep\n1;A;648908.39;6872903.21;93\n2;B;1022672.99;6747305.21;68\n";
    const guessed = await importAll({ path: "a.csv", content, mapping: null });
    assert.deepEqual(guessed.mapping.location, { lat: "y", lon: "x", crs: "EPSG:2154" });
    assert.deepEqual(guessed.accepted[0].item.item.location, { lat: 48.954057, lon: 2.302366 });
    assert.equal(guessed.report.rules["location_converted"].count, 2);
    const mapping = { id: "id", title: "nom", location: { lat: "y", lon: "x", crs: "EPSG:2154" } };
    const declared = await importAll({ path: "a.csv", content, mapping });
    assert.deepEqual(declared.accepted[0].item.item.location, { lat: 48.954057, lon: 2.302366 });
  });

  test("of Web Mercator are not taken for Lambert-93", async () => {
    const content =
      "id;nom;cp;the_geom\n1;Bichat;75018;POINT (259592.22 6257717.90)\n2;Autre;75012;POINT (266592.2 6247717.9)\n";
    const { accepted, mapping } = await importAll({ path: "a.csv", content, mapping: null });
    assert.deepEqual(mapping.location, { from: "the_geom", order: "lon,lat", crs: "EPSG:3857" });
    assert.ok(Math.abs((accepted[0].item.item.location?.lat ?? 0) - 48.898) < 0.01);
  });

  test("of an unknown system are rejected", async () => {
    const mapping = { id: "id", title: "nom", location: { lat: "y", lon: "x" } };
    const { report } = await importAll({ path: "a.csv", content: "id;nom;x;y\n1;A;648908;6872903\n", mapping });
    assert.equal(report.rules["location_projected"].count, 1);
  });

  test("of GeoJSON follow its crs", async () => {
    const crs = { type: "name", properties: { name: "urn:ogc:def:crs:EPSG::2154" } };
    const geometry = { type: "Point", coordinates: [648_908.394_3, 6_872_903.217_1] };
    const features = [{ type: "Feature", properties: { id: "1", nom: "Épinay" }, geometry }];
    const content = JSON.stringify({ type: "FeatureCollection", crs, features });
    const { accepted } = await importAll({ path: "a.geojson", content, mapping: null });
    assert.deepEqual(accepted[0].item.item.location, { lat: 48.954057, lon: 2.302366 });
  });
});
