import assert from "node:assert/strict";
import { test } from "node:test";
import { loadMutant } from "../../simulation/mutate.ts";
import { CAPPED, FURTHER, NAMED } from "../../simulation/mutants.ts";
import { readRegressions } from "../../simulation/regressions.ts";
import { scenarioOf } from "../../simulation/scenario.ts";
import { commandOf, shrink } from "../../simulation/shrink.ts";
import { simulate, type Run } from "../../simulation/simulate.ts";

const SHORT_SEEDS = 50;
/** The long form runs more seeds, and different ones. */
const [FIRST, SEEDS] = process.env["TEST_LONG"] === undefined ? [1, SHORT_SEEDS] : [1 + SHORT_SEEDS, 200];
/** The long form takes 12 s of CPU time, on a machine that also does other work. */
const timeout = 600_000;
const STEPS = 2000;

/** Actions that every campaign must cover. */
const MUST_HAPPEN = [
  "a cap was reached",
  "a gateway died",
  "a message was late",
  "a request was lost",
  "a sleeping gateway was replaced",
  "a response was lost",
  "answered 200",
  "answered 200 again",
  "answered 402",
  "answered 403",
  "answered 409",
  "answered 422",
  "answered 503",
  "batches shared a commit",
  "left before the end",
  "slept longer than a lease",
  "a write failed",
  "the rail died",
  "the rail's clock jumped",
];

async function assertHolds(run: Run): Promise<void> {
  if (run.violation === null) return;
  const smallest = await shrink(run, simulate);
  assert.fail(`${run.violation.message}\nseed ${run.scenario.seed}; see it again: ${commandOf(smallest.scenario)}`);
}

test(`${SEEDS} seeds of ${STEPS} steps: the invariants hold after every step and at the end`, { timeout }, async () => {
  const seen = new Set<string>();
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const run = await simulate(scenarioOf(seed, STEPS));
    await assertHolds(run);
    for (const what of run.seen.keys()) seen.add(what);
  }
  assert.deepEqual(
    MUST_HAPPEN.filter((what) => !seen.has(what)),
    [],
  );
});

test("past failures do not recur", async () => {
  for (const { scenario } of readRegressions()) await assertHolds(await simulate(scenario));
});

test("a seed always generates the same run", async () => {
  const [first, two] = [await simulate(scenarioOf(7, 1000)), await simulate(scenarioOf(7, 1000))];
  assert.deepEqual([...first.seen], [...two.seen]);
  assert.deepEqual([first.steps, first.charges, first.free], [two.steps, two.charges, two.free]);
});

for (const mutant of [...NAMED, ...CAPPED])
  test(`detects the mutant: ${mutant.name}`, async () => {
    const run = await firstFailure(await loadMutant(mutant), 40);
    assert.notEqual(run?.violation ?? null, null);
  });

test("shrinks a failing run that still violates the same invariant", async () => {
  const [mutant] = NAMED;
  const mutated = await loadMutant(mutant);
  const failed = await firstFailure(mutated, 40);
  assert.ok(failed !== null);
  const smallest = await shrink(failed, mutated);
  assert.equal(smallest.violation?.invariant, failed.violation?.invariant);
  assert.ok(smallest.scenario.steps < STEPS && smallest.scenario.without.length > failed.scenario.without.length);
});

test("a mutant whose source text is missing is an error", async () => {
  const [{ patches }] = FURTHER;
  const stale = { name: "stale", patches: [{ ...patches[0], find: "no such text" }] };
  await assert.rejects(loadMutant(stale), /does not occur exactly once/);
});

async function firstFailure(run: typeof simulate, seeds: number): Promise<Run | null> {
  for (let seed = 1; seed <= seeds; seed++) {
    const failed = await run(scenarioOf(seed, STEPS));
    if (failed.violation !== null) return failed;
  }
  return null;
}
