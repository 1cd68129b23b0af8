/** Shrinks a failing run: fewer steps, callers, gateways and faults, while the same invariant breaks. */
import { FAULTS, type Scenario } from "./scenario.ts";
import type { Run, simulate } from "./simulate.ts";

export async function shrink(failed: Run, run: typeof simulate): Promise<Run> {
  let smallest = failed;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const scenario of smallerThan(smallest)) {
      const tried = await run(scenario);
      if (tried.violation?.invariant !== failed.violation?.invariant) continue;
      smallest = tried;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Yields the most promising candidates first. Each one is smaller, so shrinking terminates. */
function* smallerThan({ scenario, steps }: Run): Generator<Scenario> {
  const { callers, gateways, without } = scenario;
  for (const fewer of [Math.floor(scenario.steps / 2), steps, scenario.steps - 1])
    if (fewer > 0 && fewer < scenario.steps) yield { ...scenario, steps: fewer };
  if (gateways > 1) yield { ...scenario, gateways: gateways - 1 };
  if (callers > 1) yield { ...scenario, callers: callers - 1 };
  for (const fault of FAULTS) if (!without.includes(fault)) yield { ...scenario, without: [...without, fault] };
}

/** The command that reproduces the run. */
export function commandOf({ seed, steps, callers, gateways, without, isCapped = false }: Scenario): string {
  const caps = isCapped ? "--caps" : "--no-caps";
  const off = without.length > 0 ? ` --without ${without.join(",")}` : "";
  return `npm run sim -- --seed ${seed} --steps ${steps} --callers ${callers} --gateways ${gateways} ${caps}${off}`;
}
