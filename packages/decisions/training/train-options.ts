/** `npm run train:options [-- --trunk file] [--out file]`: trains the options scorer on a trunk. The same input gives the same bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openOptionsScorer } from "../src/options/load-options.ts";
import { trainOptions } from "../src/options/train-options.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { CHOICE_FILES, GATE_FILES } from "./choice-rows.ts";
import { openDataFolder } from "./data-folder.ts";
import { readOptionRows } from "./option-rows.ts";
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
const { requests, rows, documents } = readOptionRows(data, trunk);
say(`${requests.length} requests with functions, ${rows.length} rows in all`);
const { bytes } = trainOptions(
  trunk,
  { rows, documents },
  // oxlint-disable-next-line triptych/plain-names -- field of a shipped file
  { asked: requests.length, rows: rows.length, files: [...CHOICE_FILES, ...GATE_FILES] },
);
writeFileSync(values.out, bytes);
say(`${values.out}: ${bytes.length} bytes, SHA-256 ${openOptionsScorer(bytes, trunk).sha256}`);
