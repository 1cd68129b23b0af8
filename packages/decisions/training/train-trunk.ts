/**
 * `npm run train:trunk [-- --without BANKING77] [--out file] [--batches n]`: trains and writes the trunk,
 * deterministically. Trunks without one data set are for "unseen" figures and are not committed.
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
if (data === null) throw new Error("The training data folder is missing; set TRIPTYCH_ROUTING_DATA.");

const say = sayProgress();
const recipe = { ...TRUNK_RECIPE, batches: Number(values.batches) };
const bytes = trainTrunk(data, { recipe, without, say });
writeFileSync(values.out, bytes);
say(`${values.out}: ${bytes.length} bytes, SHA-256 ${loadTrunk(bytes).sha256}`);
