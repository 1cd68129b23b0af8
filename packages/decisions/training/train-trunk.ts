/**
 * `npm run train:trunk [-- --without BANKING77] [--out file] [--batches n]`: trains the trunk and writes it. The same input gives the same bytes.
 * Trunks without one data set are for figures that are called "unseen"; they are not committed.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openTrunk, writeTrunk } from "../src/trunk/trunk.ts";
import { trainRows } from "../src/trunk/train-trunk.ts";
import { openDataFolder } from "./data-folder.ts";
import { INTENT_SETS, TRUNK_SHAPE, trunkLesson } from "./trunk-sources.ts";

const SETTINGS = { dims: 256, pieceWeight: 1.5, pairWeight: 0.3 };
const RECIPE = { batch: 128, temperature: 0.04, rate: 0.1, dropout: 0.1, seed: 1, initial: 0.3, common: 1e-3 };
const CONTEXT_WEIGHT = 0.3;

const { values } = parseArgs({
  options: {
    without: { type: "string" },
    out: { type: "string", default: "packages/decisions/artifacts/trunk.tptk" },
    batches: { type: "string", default: "6000" },
  },
});
const without = INTENT_SETS.find((set) => set === values.without) ?? null;
if (values.without !== undefined && without === null)
  throw new Error(`--without takes one of ${INTENT_SETS.join(", ")}.`);
const data = openDataFolder();
if (data === null) throw new Error("The folder of training data is absent; TRIPTYCH_ROUTING_DATA names it.");

const began = performance.now();
const { corpus, sources, own } = trunkLesson(data, TRUNK_SHAPE, without);
const batches = Number(values.batches);
say(`${corpus.wordStart.length - 1} texts, ${corpus.wordRow.length} words, ${batches} batches of ${RECIPE.batch}`);
const { rows } = trainRows(corpus, sources, {
  ...SETTINGS,
  ...RECIPE,
  batches,
  onProgress: ({ batch, loss }) => {
    if (batch % 500 === 0) say(`${batch} of ${batches}, loss ${loss.toFixed(3)}`);
  },
});
const bytes = writeTrunk(rows, own, { ...SETTINGS, contextWeight: CONTEXT_WEIGHT });
writeFileSync(values.out, bytes);
say(`${values.out}: ${bytes.length} bytes, SHA-256 ${openTrunk(bytes).sha256}`);

function say(message: string): void {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${message}\n`);
}
