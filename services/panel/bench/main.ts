/**
 * `npm run bench:panel`: the benchmarks required by issue and contract, as Markdown on stdout; progress on stderr.
 *
 *   npm run bench:panel -- [--only bus,redaction,start,scan,dispatch,weight,rotation,reads,lives] [--workers N] [--many N] [--runs N]
 *                          [--seconds N] [--profile DIR] [--folder DIR] [--out FILE]
 *
 * Run it on the disk for the data (`--folder`). `--profile` stores a CPU profile of each panel. `--many` workers need twice as many open
 * files: `ulimit -n`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { machine, progress, renderGoals, renderTable, type Figures } from "../../../packages/decisions/bench/report.ts";
import { measureBus } from "./bus-benchmark.ts";
import { measureDispatch, measureRotation, measureWeight } from "./dispatch-benchmark.ts";
import { measureLives } from "./lifecycle-benchmark.ts";
import { measureReads } from "./reads-benchmark.ts";
import { measureRedaction } from "./redaction-benchmark.ts";
import { measureScan } from "./scan-benchmark.ts";
import { measureStart } from "./start-benchmark.ts";

const PHASES = ["bus", "redaction", "start", "scan", "dispatch", "weight", "rotation", "reads", "lives"] as const;
type Phase = (typeof PHASES)[number];

const { values } = parseArgs({
  options: {
    only: { type: "string", default: PHASES.join(",") },
    workers: { type: "string", default: "1000" },
    many: { type: "string", default: "10000" },
    runs: { type: "string", default: "500" },
    seconds: { type: "string", default: "5" },
    folder: { type: "string", default: tmpdir() },
    profile: { type: "string" },
    out: { type: "string" },
  },
});
const [workers, many, runs, seconds] = [values.workers, values.many, values.runs, values.seconds].map(Number);
if (![workers, many, runs, seconds].every((value) => value > 0)) throw new Error("numbers must be above 0");
const names = values.only.split(",");
const unknown = names.filter((name) => !PHASES.some((phase) => phase === name));
if (unknown.length > 0) throw new Error(`--only: unknown phase ${unknown.join(", ")}; use ${PHASES.join(", ")}`);

const folder = mkdtempSync(join(values.folder, "triptych-panel-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const panel = { folder, profile: values.profile };
const milliseconds = 1000 * seconds;
const measures: Readonly<Record<Phase, () => Figures | Promise<Figures>>> = {
  bus: () => measureBus({ folder, milliseconds }),
  redaction: () => measureRedaction(milliseconds),
  start: () => measureStart({ folder }),
  scan: () => measureScan({ folder }),
  dispatch: () => measureDispatch({ ...panel, workers, runs }),
  weight: () => measureWeight({ ...panel, many }),
  rotation: () => measureRotation({ ...panel, workers, rotations: 50 }),
  reads: () => measureReads({ ...panel, milliseconds }),
  lives: () => measureLives(panel),
};
const startedAt = performance.now();
const load = loadavg()[0]?.toFixed(1);
const measured: Figures[] = [];
for (const phase of PHASES.filter((name) => names.includes(name))) {
  progress(phase);
  measured.push(await measures[phase]());
  // Phases take minutes: write results as they arrive, in case a later phase fails.
  if (values.out !== undefined) await writeFile(values.out, written());
}
process.stdout.write(written());
// Do not wait for a panel that is closing its last sockets.
process.exit(0);

function written(): string {
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  const head = `${machine()}, load ${load}, ${new Date().toISOString().slice(0, 10)}, ${minutes} minutes.`;
  const goals = renderGoals(measured.flatMap((figures) => figures.goals));
  return [head, "", goals, ...measured.flatMap(({ tables }) => tables.map(renderTable))].join("\n");
}
