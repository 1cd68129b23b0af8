import assert from "node:assert/strict";
import { test } from "node:test";
import { verifySlow } from "../../src/scouts/scan/verify-slow.ts";
import { treeOf } from "../../src/scouts/reading/tree.ts";
import type { ScanContext } from "../../src/scouts/scan/check.ts";
import { foundBy, scoutOn } from "../support/explore-story.ts";
import { makeRepository } from "../support/repository.ts";
import { NO_TOOLS } from "../support/no-tools.ts";

const nobody = () => Promise.reject(new Error("it is not asked for"));

function createScanContext(verifyCommand: string | null, seconds: readonly number[], exitCode = 0): ScanContext {
  return {
    tree: treeOf("/nowhere", []),
    verifyCommand,
    verifyTimeoutS: 900,
    verifyTwice: async () =>
      seconds.map((s) => ({
        exitCode,
        ending: `exit code ${exitCode}`,
        durationMs: s * 1000,
        output: "",
        missing: null,
      })),
    blame: nobody,
    today: 0,
    registry: nobody,
    fetch: null,
    deps: { minReleaseAgeDays: 0, group: "none" },
    ...NO_TOOLS,
  };
}

test("finds a verify command whose median takes more than a minute, and ignores a failing one", async () => {
  const gatesOf = async (scanContext: ScanContext) =>
    (await verifySlow.run(scanContext)).findings.map(({ gate }) => gate);
  const [gate] = await gatesOf(createScanContext("npm test", [50, 71]));
  assert.deepEqual(gate, { command: "triptych gate faster-than 60 -- npm test", timeoutS: 120, frozenPaths: [] });
  const [read] = await gatesOf(createScanContext("npm ci && npm test", [61, 61]));
  assert.equal(read?.command, "triptych gate faster-than 60 -- 'npm ci && npm test'");
  for (const scanContext of [
    createScanContext("npm test", [50, 70]),
    createScanContext("npm test", [59, 60]),
    createScanContext("npm test", [90, 90], 1),
  ])
    assert.deepEqual(await gatesOf(scanContext), []);
  await assert.rejects(gatesOf(createScanContext(null, [])), /no runnable verify command/);
});

/** Green exactly as often as it is measured, then red, so that no test waits a minute. */
const TWICE = 'n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n + 1)) > "$HOME/n"; test "$n" -lt 2';

test("proposes a slow verify command only if its gate is red", async () => {
  await using repository = makeRepository({ "README.md": "# Slow\n" });
  const scouted = async (command: string) => {
    let now = 0;
    const verify = { command, setupCommand: null, timeoutS: 900, retries: 0, baseline: true };
    const request = { verify, checks: ["verify_slow"] };
    return scoutOn(repository, { request, elapsed: () => (now += 61_000) });
  };
  const [slow] = foundBy(await scouted(TWICE)).candidates;
  assert.deepEqual([slow?.title, slow?.category], ["Make the test command faster than 60 s", "perf"]);
  assert.match(slow?.gate.cmd ?? "", /^triptych gate faster-than 60 -- '/);
  assert.equal(slow?.gate_proof.exit_code, 1);
  // The gate measures time itself: a verify command that was slow by chance is green now, and is dropped.
  const by = await scouted("true");
  assert.equal(foundBy(by).candidates[0]?.gate_proof.exit_code, 0);
  assert.ok(by.items.some(({ text }) => text.includes("its gate already passes")));
});
