/**
 * `npm run eval [-- --data folder] [--quick] [--trunks folder] [--seeds n] [--only BANKING77,options] [--peers] [--out
 * folder]`: checks that training and evaluation share no text, then evaluates every kind of decision on unseen rows.
 * --peers compares heads with other classifiers instead. Missing test splits count as held back. Writes `eval.json` and
 * `model-card.md` to --out (`reports`).
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ARTIFACTS, loadBundledModels } from "../src/bundled-models.ts";
import { loadTrunk, type Trunk } from "../src/trunk/trunk.ts";
import { openDataFolder, readDataLock } from "./data-folder.ts";
import { learnedTexts } from "./training-texts.ts";
import { sayProgress } from "./progress.ts";
import { randomTrunkLike } from "./random-trunk.ts";
import { modelCard, reportFaults, type Report } from "./report.ts";
import { runEvaluation, TASKS } from "./run-evaluation.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    trunks: { type: "string", default: "packages/decisions/artifacts" },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    seeds: { type: "string" },
    out: { type: "string", default: "reports" },
  },
});
const lock = readDataLock();
/** One folder contains both if the training data is next to the tests. */
const data = openDataFolder() ?? (values.data === undefined ? null : openDataFolder(values.data));
if (data === null) throw new Error("The training data folder is missing; set TRIPTYCH_ROUTING_DATA.");
const count = Number(values.seeds ?? (values.quick ? 1 : 5));
if (!Number.isInteger(count) || count < 1 || count > 100)
  throw new RangeError("--seeds requires a number from 1 to 100.");
const only = values.only?.split(",") ?? null;
const say = sayProgress();
const unknown = (only ?? []).filter((task) => !TASKS.some((candidate) => candidate === task));
if (unknown.length > 0)
  say(`--only: ${unknown.join(", ")} can only be sets of --data; the tasks are ${TASKS.join(", ")}.`);

const trunkBytes = readTrunkBytes();
const trunk = loadTrunk(trunkBytes);
let random: Trunk | undefined;
mkdirSync(values.out, { recursive: true });
const report = runEvaluation({
  data,
  testFolder: values.data ?? null,
  isTraining: (file) => lock[file] !== undefined,
  shipped: loadBundledModels(),
  learned: learnedTexts(data, trunk, say),
  trunk,
  trunks: values.trunks,
  randomTrunk: () => (random ??= randomTrunkLike(trunkBytes)),
  quick: values.quick,
  peers: values.peers,
  seeds: Array.from({ length: count }, (_, seed) => seed + 1),
  only,
  write: (line) => void process.stdout.write(line),
  say,
  keep,
});
writeFileSync(`${values.out}/model-card.md`, modelCard(report));
const faults = reportFaults(JSON.parse(readFileSync(`${values.out}/eval.json`, "utf8")));
for (const fault of faults) say(`Invalid report: ${fault}`);
const { failures, tests } = report;
if (tests.heldBack.length > 0) say(`${tests.heldBack.length} test splits are held back; add them with --data.`);
say(`Wrote ${values.out}/eval.json and model-card.md, with ${failures.length} failures.`);
if (failures.length + faults.length > 0) process.exitCode = 1;

/** Replaces the file atomically, so that a concurrent reader finds the previous one. */
function keep(report: Report): void {
  writeFileSync(`${values.out}/eval.json.part`, `${JSON.stringify(report, null, 2)}\n`);
  renameSync(`${values.out}/eval.json.part`, `${values.out}/eval.json`);
}

/** The trunk in --trunks if there is one, otherwise the shipped one. */
function readTrunkBytes(): Uint8Array {
  const file = `${values.trunks}/trunk.tptk`;
  return readFileSync(existsSync(file) ? file : new URL("trunk.tptk", ARTIFACTS));
}
