/**
 * `npm run train:trunk [-- --without BANKING77] [--out file] [--batches n]`: trains the trunk and writes it. The same input gives the same bytes.
 * Trunks without one data set are for figures that are called "unseen"; they are not committed.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { openDataFolder } from "./data-folder.ts";
import { sayProgress } from "./progress.ts";
import { trainTrunk, TRUNK_RECIPE } from "./trunk-recipe.ts";
import { INTENT_SETS } from "./trunk-sources.ts";

const { values } = parseArgs({
  options: {
    without: { type: "string" },
    out: { type: "string", default: "packages/decisions/artifacts/trunk.tptk" },
    batches: { type: "string", default: String(TRUNK_RECIPE.batches) },
  },
});
const without = INTENT_SETS.find((set) => set === values.without) ?? null;
if (values.without !== undefined && without === null)
  throw new Error(`--without takes one of ${INTENT_SETS.join(", ")}.`);
const data = openDataFolder();
if (data === null) throw new Error("The folder of training data is absent; TRIPTYCH_ROUTING_DATA names it.");

const say = sayProgress();
const recipe = { ...TRUNK_RECIPE, batches: Number(values.batches) };
const bytes = trainTrunk(data, { recipe, without, say });
writeFileSync(values.out, bytes);
say(`${values.out}: ${bytes.length} bytes, SHA-256 ${loadTrunk(bytes).sha256}`);
