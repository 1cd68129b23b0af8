import assert from "node:assert/strict";
import { test } from "node:test";
import { CHECK_MESSAGE_MAX } from "@triptych/contracts";
import { claimCheck, finishCheck, newCheck, releaseCheck, returnCheck } from "../../src/domain/repo-checks.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";

const SETTINGS = { ...DEFAULT_SETTINGS, verify_cmd: "npm test" };
const PENDING = newCheck({ id: "rep_1", settings: SETTINGS }, { id: "chk_1", now: 1 });
const RUNNING = claimCheck(PENDING, { workerId: "wrk_1", deadline: 9 });
const end = (exitCode: number | null) => ({ exitCode, durationMs: 5 });
const result = { setup: null, verify: null, message: "the end of the output", isUnavailable: false };

test("is unavailable immediately if the repo has no commands", () => {
  const check = newCheck({ id: "rep_1", settings: DEFAULT_SETTINGS }, { id: "chk_1", now: 1 });
  assert.deepEqual([check.state, check.checkedAt], ["unavailable", 1]);
  assert.match(check.message ?? "", /neither a setup command nor a verify command/);
});

test("passes without a message if both commands exit with 0", () => {
  const check = finishCheck(RUNNING, { ...result, setup: end(0), verify: end(0) }, 7);
  assert.deepEqual([check.state, check.message, check.workerId, check.checkedAt], ["passed", null, null, 7]);
});

test("fails if a command exits with another code or by a signal", () => {
  assert.equal(finishCheck(RUNNING, { ...result, setup: end(0), verify: end(1) }, 7).state, "failed");
  assert.equal(finishCheck(RUNNING, { ...result, setup: end(null) }, 7).state, "failed");
});

test("stores why a command could not run, at most 2,000 characters", () => {
  const check = finishCheck(RUNNING, { ...result, isUnavailable: true, message: "x".repeat(9_000) }, 7);
  assert.deepEqual([check.state, check.message?.length], ["unavailable", CHECK_MESSAGE_MAX]);
});

test("retries on a second worker, but not on a third", () => {
  const second = claimCheck(releaseCheck(RUNNING, 9), { workerId: "wrk_2", deadline: 19 });
  assert.deepEqual([second.state, second.id], ["running", "chk_1"]);
  assert.equal(releaseCheck(second, 20).state, "unavailable");
});

test("counts no attempt that no worker received", () => {
  assert.deepEqual(returnCheck(RUNNING), PENDING);
});

test("ignores a result unless the check is running", () => {
  assert.throws(() => finishCheck(PENDING, result, 7), /pending cannot pass/);
});
