import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { EMPTY_VIEW, apiFilters, readView, writeView } from "../map/src/view-state.ts";

const slug = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,4})?$/);
const slugs = fc.uniqueArray(slug, { maxLength: 4 });
const view = fc.record({
  q: fc.string({ maxLength: 40 }).map((text) => text.trim()),
  type: fc.subarray(["actor", "place", "article"]),
  region: slugs,
  departements: slugs,
  commune: fc.constantFrom("", "Rennes", "L'Haÿ-les-Roses"),
  tag: slugs,
  near: fc.option(
    fc.record({ lat: fc.integer({ min: -9000, max: 9000 }), lon: fc.integer({ min: -18_000, max: 18_000 }) }),
    { nil: null },
  ),
  radius: fc.integer({ min: 1, max: 200 }),
});

test("restores the view from the URL", () => {
  fc.assert(
    fc.property(view, ({ near, radius, ...rest }) => {
      const place = near === null ? null : { lat: near.lat / 100, lon: near.lon / 100 };
      const state = { ...EMPTY_VIEW, ...rest, near: place, radius: place === null ? EMPTY_VIEW.radius : radius };
      assert.deepEqual(readView(writeView(state)), state);
    }),
    { seed: 11, numRuns: 400 },
  );
});

test("the viewport is part of the URL, but not of the filters", () => {
  const state = { ...EMPTY_VIEW, camera: { territory: "974", lat: -21.1, lon: 55.5, zoom: 4.25 } };
  assert.equal(writeView(state), "?map=974,-21.100,55.500,4.25");
  assert.deepEqual(readView(writeView(state)), state);
  assert.equal(apiFilters(state).toString(), "");
});

test("ignores invalid values in a URL", () => {
  const state = readView("?near=95,1&radius=9999&sort=best&map=metropole,1,2&type=,&key=dir_test_secret");
  assert.deepEqual(state, EMPTY_VIEW);
});

test("accepts a département's name, like the API", () => {
  for (const [nom, slug] of [
    ["Côte-d'Or", "cote-d-or"],
    ["La Réunion", "la-reunion"],
    ["Ain", "ain"],
  ])
    assert.deepEqual(readView(`?departement=${encodeURIComponent(nom)}`).departements, [slug], nom);
  assert.deepEqual(readView("?departement=Cotes%20d%20Armor&departements=ain").departements, ["ain", "cotes-d-armor"]);
  assert.deepEqual(readView("?departement=").departements, []);
});

test("sends the commune of the URL to the API", () => {
  assert.equal(apiFilters(readView("?commune=Saint-%C3%89tienne")).get("commune"), "Saint-Étienne");
});

test("never puts a key into the URL or the filters", () => {
  const state = readView("?q=museum&key=dir_test_secret");
  assert.doesNotMatch(writeView(state, "en"), /key|secret/);
  assert.equal(apiFilters(state).has("key"), false);
});

test("omits near for a plan that does not include it", () => {
  const state = { ...EMPTY_VIEW, near: { lat: 48.1, lon: -1.7 }, sort: "distance" };
  assert.equal(apiFilters(state, { geo: false }).toString(), "");
  assert.equal(apiFilters(state, { geo: true }).toString(), "near=48.1%2C-1.7&radius=10&sort=distance");
});

test("treats a comma list of themes as OR, like the API", () => {
  const state = readView("?tag=ile,littoral&tag=musee");
  assert.deepEqual(state.tag, ["ile,littoral", "musee"]);
  assert.equal(writeView(state), "?tag=ile,littoral&tag=musee");
  assert.deepEqual(readView("?tag=ile,&tag=").tag, []);
});

test("sends each theme separately, combined with AND", () => {
  assert.equal(apiFilters({ ...EMPTY_VIEW, tag: ["ile", "littoral"] }).toString(), "tag=ile&tag=littoral");
});

test("restores the visible area from the URL, and sends it to the API only if the plan allows", () => {
  const state = readView("?bbox=-2.2,47.9,-1.4,48.3");
  assert.deepEqual(state.bbox, [-2.2, 47.9, -1.4, 48.3]);
  assert.deepEqual(readView(writeView(state)), state);
  assert.equal(apiFilters(state).get("bbox"), "-2.2000,47.9000,-1.4000,48.3000");
  assert.equal(apiFilters(state, { geo: false }).has("bbox"), false);
  for (const wrong of ["1,2,3", "1,50,2,40", "1,2,3,x", "1,-95,2,40", "200,1,201,2"])
    assert.equal(readView(`?bbox=${wrong}`).bbox, null, wrong);
});
