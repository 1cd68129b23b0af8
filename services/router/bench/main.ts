/**
 * `npm run bench:decisions`: measures "Speed and size" of the routing contract. Prints Markdown on stdout and progress
 * on stderr.
 *
 *   npm run bench:decisions -- [--only engine,http,questions,head,size] [--calls N] [--seconds N] [--rounds N] [--out FILE]
 *
 * Uses the built-in held-out phrasings and paraphrases, without a data folder. Reports medians of `--rounds` runs.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadBundledModels } from "@triptych/decisions";
import { measureEngine } from "../../../packages/decisions/bench/engine-figures.ts";
import { measureHead } from "../../../packages/decisions/bench/head-figures.ts";
import { machine, progress, renderGoals, renderTable, type Figures } from "../../../packages/decisions/bench/report.ts";
import { ARTIFACTS } from "../../../packages/decisions/src/bundled-models.ts";
import { measureHttp } from "./http-figures.ts";
import { measureQuestions } from "./questions-figures.ts";
import { measureSize } from "./size-figures.ts";

const PHASES = ["engine", "http", "questions", "head", "size"] as const;
type Phase = (typeof PHASES)[number];

const STARTS = 5;
/** A call with 400 questions is slow, and more rounds give a more stable median. */
const QUESTION_ROUNDS = 7;

interface Plan {
  readonly only: ReadonlySet<Phase>;
  readonly calls: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly out: string | undefined;
}

async function run({ only, calls, seconds, rounds, out }: Plan, folder: string): Promise<void> {
  const startedAt = performance.now();
  const load = loadavg()[0]?.toFixed(1);
  const measures: Readonly<Record<Phase, () => Figures | Promise<Figures>>> = {
    engine: () => measureEngine(loadBundledModels(), { calls, rounds }),
    http: () => measureHttp({ folder: join(folder, "http"), rounds, seconds }),
    questions: () => measureQuestions({ folder: join(folder, "questions"), rounds: QUESTION_ROUNDS }),
    head: () => measureHead({ rounds, read: (name) => readFileSync(new URL(name, ARTIFACTS)) }),
    size: () => measureSize({ folder, starts: STARTS }),
  };
  const found: Figures[] = [];
  const written = () => {
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const head = `${machine()}, load ${load}, ${new Date().toISOString().slice(0, 10)}, ${minutes} minutes.`;
    const goals = renderGoals(found.flatMap((figures) => figures.goals));
    return [head, "", goals, ...found.flatMap(({ tables }) => tables.map(renderTable))].join("\n");
  };
  for (const phase of PHASES.filter((name) => only.has(name))) {
    progress(phase);
    found.push(await measures[phase]());
    // Phases take minutes: save partial results in case a later one fails.
    if (out !== undefined) await writeFile(out, written());
  }
  process.stdout.write(written());
}

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: PHASES.join(",") },
      calls: { type: "string", default: "10000" },
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      out: { type: "string" },
    },
  });
  const only = new Set(PHASES.filter((name) => values.only.split(",").includes(name)));
  if (only.size === 0) throw new Error(`--only accepts a list of: ${PHASES.join(", ")}.`);
  const [calls, seconds, rounds] = [Number(values.calls), Number(values.seconds), Number(values.rounds)];
  if (!Number.isInteger(calls) || calls < 1_000) throw new Error("--calls must be a number of at least 1000.");
  if (!(seconds >= 1)) throw new Error("--seconds must be a number of at least 1.");
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a number of at least 1.");
  return { only, calls, seconds, rounds, out: values.out };
}

const plan = readPlan();
const folder = mkdtempSync(join(tmpdir(), "triptych-decisions-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
progress(`phases: ${[...plan.only].join(", ")}; load of the machine ${loadavg()[0]?.toFixed(1)}`);
await run(plan, folder);
