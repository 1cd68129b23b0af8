/** `npm run sim -- --seed N --steps N --seeds N`: runs seeds, prints what failed and the smallest run that still fails. */
import { parseArgs } from "node:util";
import { scenarioOf } from "./scenario.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "2000" },
    seeds: { type: "string", default: "1" },
  },
});
const [seed, steps, seeds] = [values.seed, values.steps, values.seeds].map(Number);
const seen = new Map<string, number>();
const begun = performance.now();
let failed = 0;
let total = 0;
for (let one = seed; one < seed + seeds; one++) {
  const run = await simulate(scenarioOf(one, steps));
  total += run.steps;
  for (const [what, count] of run.seen) seen.set(what, (seen.get(what) ?? 0) + count);
  if (run.violation !== null) {
    failed++;
    process.stdout.write(
      `seed ${one}: ${run.violation.message} (step ${run.steps}) ${run.violation.stack?.split("\n").slice(1, 5).join("\n")}\n`,
    );
  }
}
process.stdout.write(
  `${JSON.stringify(Object.fromEntries(seen), null, 1)}\n${seeds} seeds, ${failed} failed, ${total} steps, ${Math.round(performance.now() - begun)} ms\n`,
);
