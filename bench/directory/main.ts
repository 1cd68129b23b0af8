/**
 * `npm run bench:directory`: measures every row of "Goals" in the directory's contract, next to its peers. Prints
 * Markdown to stdout and progress to stderr.
 *
 * npm run bench:directory -- [--items 100000|1000000|both|<number>] [--quick] [--only engine,peers,...] [--out FILE]
 *
 * `engine-b` adds the product's PostgreSQL engine to `peers`. Data is generated from a seed. Phases run sequentially at
 * low priority, so that figures are comparable.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { machine } from "../../packages/decisions/bench/report.ts";
import { measureEngine } from "./engine-figures.ts";
import { measureHttp } from "./http-figures.ts";
import { prepareKeys } from "./http-fixture.ts";
import { measureImport, type Imported } from "./import-figures.ts";
import { measureLimiter } from "./limiter-figures.ts";
import { measurePeers } from "./peers-figures.ts";
import { progress, renderGoals, renderTable, type Figures } from "./report.ts";
import { measureStarts } from "./start-figures.ts";
import { measureSwap } from "./swap-figures.ts";

const PHASES = ["limiter", "engine", "peers", "engine-b", "import", "starts", "http", "swap"] as const;
type Phase = (typeof PHASES)[number];
const NICE = 5;
/** Fewer queries where peers are slow. */
const MANY_ITEMS = 300_000;
/** The size in the service's goals. */
const SERVICE_ITEMS = 100_000;
const SIZES: Readonly<Record<string, readonly number[]>> = { both: [100_000, 1_000_000] };

interface Plan {
  readonly sizes: readonly number[];
  readonly only: ReadonlySet<Phase>;
  readonly isQuick: boolean;
  readonly out: string | undefined;
}

async function run({ sizes, only, isQuick, out }: Plan, folder: string): Promise<void> {
  const began = performance.now();
  const found: Figures[] = [];
  const runs = isQuick ? 1 : 3;
  const phase = async (name: Phase, measure: () => Promise<Figures>) => {
    if (!only.has(name)) return;
    found.push(await measure());
    // Phases take minutes, so results are kept if a later one fails.
    if (out !== undefined) await writeFile(out, textOf(found, began));
  };
  await phase("limiter", measureLimiter);
  for (const items of sizes) {
    await phase("engine", () => measureEngine(items, isQuick ? 50 : 200));
    await phase("peers", () =>
      measurePeers({
        folder: join(folder, `peers-${items}`),
        items,
        queries: isQuick ? 20 : items > MANY_ITEMS ? 40 : 200,
        // Peers take most of the time; small interleaved blocks give ratios in a single run.
        runs: 1,
        withEngineB: only.has("engine-b"),
      }),
    );
    rmSync(join(folder, `peers-${items}`), { recursive: true, force: true });
    if (items > SERVICE_ITEMS) {
      const importFolder = join(folder, `import-${items}`);
      await phase("import", async () => (await measureImport(importFolder, items)).figures);
      rmSync(importFolder, { recursive: true, force: true });
    }
  }
  if (
    sizes.some((items) => items <= SERVICE_ITEMS) ||
    (["starts", "http", "swap"] as const).some((name) => only.has(name))
  )
    await measureService({ items: Math.min(SERVICE_ITEMS, ...sizes), runs, isQuick, only, phase, folder });

  process.stdout.write(textOf(found, began));
}

function textOf(found: readonly Figures[], began: number): string {
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  return [
    `${machine()}, ${new Date().toISOString().slice(0, 10)}, ${minutes} minutes.\n`,
    renderGoals(found.flatMap(({ goals }) => goals)),
    ...found.flatMap(({ tables }) => tables).map(renderTable),
    ...found.flatMap(({ notes = [] }) => notes),
    "",
  ].join("\n");
}

interface ServicePlan {
  readonly items: number;
  readonly runs: number;
  readonly isQuick: boolean;
  readonly only: ReadonlySet<Phase>;
  readonly phase: (name: Phase, measure: () => Promise<Figures>) => Promise<void>;
  readonly folder: string;
}

async function measureService({ items, runs, isQuick, only, phase, folder }: ServicePlan): Promise<void> {
  if (!(["import", "starts", "http", "swap"] as const).some((name) => only.has(name))) return;
  const importFolder = join(folder, "service");
  const imported: Imported = await measureImport(importFolder, items);
  const { dataFolder } = imported;
  await phase("import", () => Promise.resolve(imported.figures));
  await phase("starts", () => measureStarts({ folder, dataFolder, importFolder, items, runs }));
  const keys = only.has("http") || only.has("swap") ? await prepareKeys(dataFolder) : [];
  const queries = isQuick ? 50 : 200;
  await phase("http", () => measureHttp({ dataFolder, items, queries, runs, seconds: isQuick ? 2 : 5, keys }));
  await phase("swap", () =>
    measureSwap({ folder: importFolder, dataFolder, items, queries, keys, rollbacks: isQuick ? 1 : 9 }),
  );
}

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      items: { type: "string", default: "100000" },
      quick: { type: "boolean", default: false },
      only: { type: "string", default: PHASES.join(",") },
      out: { type: "string" },
    },
  });
  const sizes = SIZES[values.items] ?? [Number(values.items)];
  if (!sizes.every((size) => Number.isInteger(size) && size >= 1000))
    throw new Error("--items must be a number of at least 1000, or `both` (100000 and 1000000).");
  const only = new Set(PHASES.filter((name) => values.only.split(",").includes(name)));
  if (only.size === 0) throw new Error(`--only must be a subset of: ${PHASES.join(", ")}.`);
  return { sizes, only, isQuick: values.quick, out: values.out };
}

const plan = readPlan();
setPriority(NICE);
const folder = mkdtempSync(join(tmpdir(), "directory-bench-"));
// `exit` also covers interrupts: children end when their IPC channel closes.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
progress(`phases: ${[...plan.only].join(", ")}`);
await run(plan, folder);
