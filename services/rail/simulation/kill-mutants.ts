/**
 * `npm run sim:mutants` checks that every mutant is detected within a number of seeds. Prints the violated invariant
 * and the seed.
 */
import { loadMutant } from "./mutate.ts";
import { CAPPED, FURTHER, NAMED } from "./mutants.ts";
import { scenarioOf } from "./scenario.ts";

/**
 * The mutant that is hardest to detect needs a copy of a refused attempt that arrives after a top-up, while an older
 * attempt is open.
 */
const SEEDS = 3000;
const STEPS = 2000;
let survived = 0;

/** `npm run sim:mutants -- caps` runs only the mutants of caps. */
const mutants = process.argv[2] === "caps" ? CAPPED : [...NAMED, ...CAPPED, ...FURTHER];

for (const mutant of mutants) {
  const simulate = await loadMutant(mutant);
  let result = `SURVIVED ${SEEDS} seeds`;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violation, steps } = await simulate(scenarioOf(seed, STEPS));
    if (violation === null) continue;
    result = `seed ${seed}, step ${steps}: ${violation.message}`;
    break;
  }
  if (result.startsWith("SURVIVED")) survived++;
  process.stdout.write(`${mutant.name}: ${result}\n`);
}
process.stdout.write(survived === 0 ? "all mutants were seen\n" : `${survived} mutants were not seen\n`);
process.exitCode = survived === 0 ? 0 : 1;
