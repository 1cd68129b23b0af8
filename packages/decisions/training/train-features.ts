/** `npm run train:signals [-- --trunk file] [--out folder]`: trains noul, score and domain on a trunk. The same input gives the same bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createHash } from "node:crypto";
import {
  DOMAIN_DECAY,
  fitNoul,
  fitScore,
  NOUL_RIDGE,
  SCORE_RIDGE,
  trainDomain,
  writeNoul,
  writeScore,
  type Ridge,
} from "../src/features/train-features.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { openDataFolder } from "./data-folder.ts";
import { readDomainRows } from "./domain-rows.ts";
import { readNoulRows } from "./noul-rows.ts";
import { sayProgress } from "./progress.ts";
import { readScoreRows } from "./score-rows.ts";

const { values } = parseArgs({
  options: {
    trunk: { type: "string", default: "packages/decisions/artifacts/trunk.tptk" },
    out: { type: "string", default: "packages/decisions/artifacts" },
  },
});
const say = sayProgress();
const data = openDataFolder();
if (data === null) throw new Error("The training data folder is missing; set TRIPTYCH_ROUTING_DATA.");
const trunk = loadTrunk(readFileSync(values.trunk));

const noulRows = readNoulRows(data, trunk);
say(`noul: ${noulRows.length} rows`);
keep("noul.tpax", writeNoul(trunk, fitNoul(trunk, noulRows), cardOf(noulRows, NOUL_RIDGE)));

const scoreRows = readScoreRows(data, trunk);
say(`score: ${scoreRows.length} rows`);
keep("score.tpax", writeScore(trunk, fitScore(trunk, scoreRows), cardOf(scoreRows, SCORE_RIDGE)));

const domainRows = readDomainRows(data);
say(`domain: ${domainRows.length} rows`);
keep("domain.tpax", trainDomain(trunk, domainRows, DOMAIN_DECAY).bytes);

function cardOf(rows: readonly { readonly source: string }[], { trunk, signals }: Ridge) {
  const sources = [...Map.groupBy(rows, ({ source }) => source)].map(([source, own]) => [source, own.length] as const);
  return { rows: Object.fromEntries(sources), ridge: { trunk, signals } };
}

function keep(file: string, bytes: Uint8Array): void {
  writeFileSync(`${values.out}/${file}`, bytes);
  say(`${file}: ${bytes.length} bytes, SHA-256 ${createHash("sha256").update(bytes).digest("hex")}`);
}
