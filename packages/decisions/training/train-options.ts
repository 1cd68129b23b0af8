/** `npm run train:options [-- --trunk file] [--out file]`: trains the options scorer on a trunk. The same input gives the same bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openOptionsScorer } from "../src/options/load-options.ts";
import { trainOptions } from "../src/options/train-options.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { CHOICE_FILES, GATE_FILES, readChoiceRows } from "./choice-rows.ts";
import { openDataFolder } from "./data-folder.ts";
import { resized, yesOrNo } from "./option-sets.ts";
import { sayProgress } from "./progress.ts";

const { values } = parseArgs({
  options: {
    trunk: { type: "string", default: "packages/decisions/artifacts/trunk.tptk" },
    out: { type: "string", default: "packages/decisions/artifacts/options.tpos" },
  },
});
const say = sayProgress();
const data = openDataFolder();
if (data === null) throw new Error("The training data folder is missing; set TRIPTYCH_ROUTING_DATA.");
const trunk = loadTrunk(readFileSync(values.trunk));
const choiceRows = readChoiceRows(data);
const rows = [...choiceRows, ...yesOrNo(choiceRows), ...resized(choiceRows, trunk)];
say(`${choiceRows.length} requests with options, ${rows.length} including generated ones`);
const { bytes } = trainOptions(
  trunk,
  { rows },
  // oxlint-disable-next-line triptych/plain-names -- field of a shipped file
  { asked: choiceRows.length, rows: rows.length, files: [...CHOICE_FILES, ...GATE_FILES] },
);
writeFileSync(values.out, bytes);
say(`${values.out}: ${bytes.length} bytes, SHA-256 ${openOptionsScorer(bytes, trunk).sha256}`);
