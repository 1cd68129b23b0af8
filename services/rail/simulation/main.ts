/**
 * `npm run sim -- --seed N --steps N --seeds N`: runs `--seeds` seeds, beginning with `--seed`. A failing run is
 * shrunk, printed with the command that reproduces it, and added to the regressions. `--callers`, `--gateways`,
 * `--caps`, `--no-caps` and `--without` override the seed.
 */
import { parseArgs } from "node:util";
import { keepRegression } from "./regressions.ts";
import { FAULTS, scenarioOf, type FaultKind, type Scenario } from "./scenario.ts";
import { commandOf, shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  allowNegative: true,
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "2000" },
    seeds: { type: "string", default: "1" },
    callers: { type: "string" },
    gateways: { type: "string" },
    caps: { type: "boolean" },
    without: { type: "string", default: "" },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const [first, steps, seeds] = [values.seed, values.steps, values.seeds].map(wholeNumber);
const without = values.without === "" ? [] : values.without.split(",").map(faultOf);
const seen = new Map<string, number>();
const startedAt = performance.now();
let failed = 0;
let taken = 0;
let charges = 0;

for (let seed = first; seed < first + seeds; seed++) {
  const run = await simulate(withOverrides(scenarioOf(seed, steps)));
  taken += run.steps;
  charges += run.charges;
  for (const [what, count] of run.seen) seen.set(what, (seen.get(what) ?? 0) + count);
  if (run.violation === null) continue;
  failed++;
  print(`seed ${seed}, step ${run.steps}: ${run.violation.message}`);
  const smallest = await shrink(run, simulate);
  const why = smallest.violation?.message ?? "";
  print(`  shrunk: ${commandOf(smallest.scenario)}\n  ${why}`);
  keepRegression({ why, scenario: smallest.scenario });
}

print("\nactions by count");
for (const [what, count] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1)))
  print(`${String(count).padStart(9)}  ${what}`);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
print(`\n${seeds} seeds, ${failed} failed; ${taken} steps, ${charges} charges, ${seconds} s`);
process.exitCode = failed === 0 ? 0 : 1;

function withOverrides(scenario: Scenario): Scenario {
  const { callers = scenario.callers, gateways = scenario.gateways, caps: isCapped = scenario.isCapped } = values;
  return {
    ...scenario,
    callers: wholeNumber(String(callers)),
    gateways: wholeNumber(String(gateways)),
    without,
    isCapped,
  };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`"${text}" is not a whole number above 0`);
  return Number(text);
}

function faultOf(name: string): FaultKind {
  const fault = FAULTS.find((fault) => fault === name);
  if (fault === undefined) throw new Error(`unknown fault "${name}"; known faults: ${FAULTS.join(", ")}`);
  return fault;
}
