/** Compares the map's lists with the directory's reference, because the two workspaces do not import each other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOffTheMap, territoryOf } from "../apps/web/map/src/territories.ts";
import { readView } from "../apps/web/map/src/view-state.ts";
import { DEPARTEMENTS } from "../services/directory/src/domain/reference.ts";

test("the map assigns every département to its territory", () => {
  for (const { code, box } of DEPARTEMENTS) {
    const middle = { lat: (box[1] + box[3]) / 2, lon: (box[0] + box[2]) / 2 };
    assert.equal(territoryOf(middle).id, code.startsWith("97") ? code : "metropole");
    assert.equal(isOffTheMap(middle), false);
  }
});

test("the map accepts the name of every département, like the API", () => {
  for (const { nom, slug } of DEPARTEMENTS)
    assert.deepEqual(readView(`?departement=${encodeURIComponent(nom)}`).departements, [slug], nom);
});
