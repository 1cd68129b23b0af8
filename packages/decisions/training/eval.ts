/**
 * `npm run eval [-- --data folder] [--quick] [--trunks folder] [--seeds n] [--only BANKING77,options] [--out folder]`: proves that training
 * and evaluation share no text, then prints one table for each kind of decision, baselines in every row. What is learned is judged on rows
 * it had not seen; nothing is chosen here. Test splits that are not there are held back; whoever has them gives them with --data, in the
 * layout of the training data (docs/evaluation.md). Every figure is written to `eval.json` and `model-card.md` in --out (`reports`).
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
    seeds: { type: "string" },
    out: { type: "string", default: "reports" },
  },
});
const lock = readDataLock();
/** Where the training data lie beside the tests, one folder is both. */
const data = openDataFolder() ?? (values.data === undefined ? null : openDataFolder(values.data));
if (data === null) throw new Error("The folder of training data is absent; TRIPTYCH_ROUTING_DATA names it.");
const count = Number(values.seeds ?? (values.quick ? 1 : 5));
if (!Number.isInteger(count) || count < 1 || count > 100) throw new RangeError("--seeds takes a number from 1 to 100.");
const only = values.only?.split(",") ?? null;
const say = sayProgress();
const unknown = (only ?? []).filter((task) => !TASKS.some((candidate) => candidate === task));
if (unknown.length > 0)
  say(`--only: ${unknown.join(", ")} would be sets of --data; the tasks are ${TASKS.join(", ")}.`);

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
  seeds: Array.from({ length: count }, (_, seed) => seed + 1),
  only,
  write: (line) => void process.stdout.write(line),
  say,
  keep,
});
writeFileSync(`${values.out}/model-card.md`, modelCard(report));
const faults = reportFaults(JSON.parse(readFileSync(`${values.out}/eval.json`, "utf8")));
for (const fault of faults) say(`The report is not valid: ${fault}`);
const { failures, tests } = report;
if (tests.heldBack.length > 0) say(`${tests.heldBack.length} test splits are held back; --data runs them.`);
say(`${values.out}/eval.json and model-card.md are written, ${failures.length} failures.`);
if (failures.length + faults.length > 0) process.exitCode = 1;

/** Never half a file: a reader that comes while it is written finds the one before. */
function keep(report: Report): void {
  writeFileSync(`${values.out}/eval.json.part`, `${JSON.stringify(report, null, 2)}\n`);
  renameSync(`${values.out}/eval.json.part`, `${values.out}/eval.json`);
}

/** The trunk of --trunks where there is one, else the shipped one. */
function readTrunkBytes(): Uint8Array {
  const file = `${values.trunks}/trunk.tptk`;
  return readFileSync(existsSync(file) ? file : new URL("trunk.tptk", ARTIFACTS));
}
