/**
 * `npm run bench:panel`: the figures that issue and contract ask of the panel, as Markdown on stdout; progress on stderr.
 *
 *   npm run bench:panel -- [--only dispatch,bus,lives,reads] [--workers N] [--many N] [--runs N] [--seconds N] [--out FILE]
 */
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { renderGoals, renderTable, type Figures } from "../../../packages/decisions/bench/report.ts";
import { measureDispatch } from "./dispatch-figures.ts";
import { measureLives } from "./life-figures.ts";
import { measureReads } from "./reads-figures.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "dispatch,reads,lives" },
    workers: { type: "string", default: "1000" },
    many: { type: "string", default: "9500" },
    runs: { type: "string", default: "500" },
    seconds: { type: "string", default: "5" },
    out: { type: "string" },
  },
});
const [workers, many, runs, seconds] = [values.workers, values.many, values.runs, values.seconds].map(Number);
if (![workers, many, runs, seconds].every((value) => value > 0)) throw new Error("numbers are above 0");

const parts: Readonly<Record<string, () => Promise<Figures>>> = {
  dispatch: () => measureDispatch({ workers, runs, rotations: 50, many }),
  reads: () => measureReads({ milliseconds: 1000 * seconds }),
  lives: measureLives,
};
const begun = performance.now();
const load = loadavg()[0].toFixed(1);
const found: Figures[] = [];
for (const name of values.only.split(",")) {
  const measure = parts[name];
  if (measure === undefined) throw new Error(`--only: ${name} is none of ${Object.keys(parts).join(", ")}`);
  found.push(await measure());
}
const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
const gigabytes = Math.round(totalmem() / 1e9);
const machine = `${availableParallelism()} cores (${cpus()[0].model.trim()}), ${gigabytes} GB, Linux ${release()}, Node ${process.version}`;
const text = [
  `${machine}, load ${load}, ${new Date().toISOString().slice(0, 10)}, ${minutes} minutes.`,
  "",
  renderGoals(found.flatMap(({ goals }) => goals)),
  ...found.flatMap(({ tables }) => tables.map(renderTable)),
].join("\n");
if (values.out !== undefined) await writeFile(values.out, text);
process.stdout.write(text);
