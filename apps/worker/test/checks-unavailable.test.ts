/** A check that cannot run at the base ends a run before its agent, and creates no candidate. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../src/index.ts";
import type { RunRequest } from "../src/run/run-request.ts";
import { makeRepository, RED_FILES, VERIFY } from "./support/repository.ts";
import { scoutOn } from "./support/explore-story.ts";
import { runStory } from "./support/run-story.ts";

const neverStarted: Agent = {
  start() {
    throw new Error("the agent was started");
  },
};
const checks = (command: string, setupCommand: string | null = null): RunRequest["verify"] => ({
  command,
  setupCommand,
  timeoutS: 60,
  retries: 0,
  baseline: true,
});
const gate = (command: string): RunRequest["gate"] => ({
  command,
  baseline: "must_fail",
  timeoutS: 60,
  frozenPaths: [],
});

const ORDERS: readonly (readonly [what: string, order: Partial<RunRequest>, message: RegExp])[] = [
  [
    "verify command",
    { verify: checks("no-such-tool test") },
    /^the verify command cannot run: no-such-tool: not found/,
  ],
  ["gate", { verify: checks("true"), gate: gate("no-such-tool") }, /^the gate cannot run: no-such-tool: not found/],
  [
    "setup command",
    { verify: checks(VERIFY, "no-such-tool ci") },
    /^the setup command cannot run: no-such-tool: not f/,
  ],
];
for (const [what, request, message] of ORDERS)
  test(`ends a run as checks_unavailable, without an agent, if the program of the ${what} is missing`, async () => {
    await using repository = makeRepository(RED_FILES);
    const { outcome } = await runStory(repository, { agent: neverStarted, request });
    assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
    assert.equal(outcome.code, "checks_unavailable");
    assert.match(outcome.message, message);
  });

test("checks again after the missing program was installed: such a baseline is not cached", async () => {
  await using repository = makeRepository({ ...RED_FILES, "bin/.keep": "" });
  const request = { verify: checks("test -e ../../ready || { echo 'sh: 1: mocha: not found'; exit 127; }") };
  const first = await runStory(repository, { agent: neverStarted, request });
  assert.ok(first.outcome.kind === "failed" && first.outcome.code === "checks_unavailable");
  const second = await runStory(repository, { agent: neverStarted, request });
  assert.ok(second.items.every(({ text }) => !text.includes("[known]")));
});

test("skips the check with a reason if the verify command cannot run", async () => {
  await using repository = makeRepository(RED_FILES);
  const scouted = await scoutOn(repository, { request: { verify: checks("no-such-tool test") } });
  const { outcome } = scouted;
  assert.ok(outcome.kind === "found", JSON.stringify(outcome));
  const { found } = outcome;
  assert.ok(found.candidates.every(({ category }) => category !== "bug"));
  const skipped = found.checks.find(({ name }) => name === "verify_red")?.skipped ?? "";
  assert.match(skipped, /^the verify command cannot run: no-such-tool: not found \(exit code 127\)/);
  assert.ok(scouted.items.some(({ kind, text }) => kind === "log" && text.includes(skipped)));
});

test("marks no candidate as auto-fixable if the verify command cannot run", async () => {
  await using repository = makeRepository({ "package.json": '{"name":"app","license":"MIT"}\n', "a.js": "1;\n" });
  const fixable = async (command: string) => {
    const { outcome } = await scoutOn(repository, {
      request: { verify: checks(command), checks: ["missing_file"] },
    });
    assert.ok(outcome.kind === "found", JSON.stringify(outcome));
    return outcome.found.candidates.filter(({ mendable }) => mendable).map(({ title }) => title);
  };
  assert.deepEqual(await fixable("true"), ["Add a license", "Add a README"]);
  assert.deepEqual(await fixable("no-such-tool test"), []);
});
