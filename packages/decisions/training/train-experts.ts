/**
 * `npm run train:experts [-- --trunk file] [--out folder] [--only tools,banking]`: trains the shipped experts on a trunk. The same input
 * gives the same bytes.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadBackground } from "../src/background/background.ts";
import { headCard } from "../src/model-card/head-card.ts";
import { trainHead } from "../src/head/train-head.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { openDataFolder } from "./data-folder.ts";
import { assistantExpert, bankingExpert, phrasedExpert } from "./expert-examples.ts";
import { sayProgress } from "./progress.ts";

const { values } = parseArgs({
  options: {
    trunk: { type: "string", default: "packages/decisions/artifacts/trunk.tptk" },
    out: { type: "string", default: "packages/decisions/artifacts" },
    only: { type: "string", default: "tools,helpdesk,banking,assistant" },
  },
});
const say = sayProgress();
const data = openDataFolder();
if (data === null) throw new Error("The training data folder is missing; set TRIPTYCH_ROUTING_DATA.");
const trunk = loadTrunk(readFileSync(values.trunk));
const lessons = [
  () => phrasedExpert(data, "tools"),
  () => phrasedExpert(data, "helpdesk"),
  () => bankingExpert(data),
  () => assistantExpert(data),
];

for (const lesson of lessons) {
  const { name, routes, examples, calibrateOn, data: learned } = lesson();
  if (!values.only.split(",").includes(name)) continue;
  say(`${name}: ${examples.length} texts, ${routes.length} routes`);
  const { bytes, rejected, report } = trainHead(trunk, {
    name,
    routes,
    examples,
    calibrateOn,
    data: learned,
    background: loadBackground(),
  });
  if (rejected !== null) throw new Error(`The expert ${name} is rejected: ${rejected}.`);
  writeFileSync(`${values.out}/experts/${name}.tphd`, bytes);
  writeFileSync(`${values.out}/cards/${name}.md`, headCard(bytes, trunk.sha256));
  const figures = `accuracy ${Number(report["accuracy"]).toFixed(3)}, ECE ${Number(report["ece"]).toFixed(3)}`;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  say(`${name}: ${figures} (cross-fitted), ${bytes.length} bytes, SHA-256 ${sha256}`);
}
