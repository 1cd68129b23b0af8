import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { trainTrunk, TRUNK_RECIPE, type TrunkRecipe } from "../training/trunk-recipe.ts";
import { smallData } from "./support/small-data.ts";

const folder = mkdtempSync(join(tmpdir(), "trunk-recipe-"));
after(() => rmSync(folder, { recursive: true }));

/** The release recipe at a hundredth of its size. */
const SHORT: TrunkRecipe = {
  ...TRUNK_RECIPE,
  shape: { rows: 2048, own: { words: 900, pairs: 300, pieces: 800 } },
  dims: 16,
  batch: 32,
  batches: 15,
};

test("the trunk recipe gives the same bytes twice", () => {
  const train = () => trainTrunk(smallData(folder), { recipe: SHORT, without: null, say: () => {} });
  const first = train();
  assert.deepEqual(train(), first);
  const trunk = loadTrunk(first);
  assert.equal(trunk.dims, SHORT.dims);
  assert.ok(trunk.encode("refund my order").length > 0);
});
