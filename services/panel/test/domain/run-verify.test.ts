import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunGate, RunVerify } from "@triptych/contracts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";
import { isFixed, NOT_VERIFIED, readStoredVerify, verifyOfReport } from "../../src/domain/run-verify.ts";

const GATE: RunGate = { cmd: "node gate.mjs", expect: "exit_zero", baseline: "must_fail" };
const red = { exit_code: 1, duration_ms: 5 };
const green = { exit_code: 0, duration_ms: 6 };

interface Ordered {
  readonly verifyCmd?: string | null;
  readonly gate?: RunGate | null;
}

const commandsOf = ({ verifyCmd = "npm test", gate = null }: Ordered) => ({
  verifyCmd,
  gate,
  settings: DEFAULT_SETTINGS,
});
const report = {
  baseline: { ...red, cached: true },
  attempts: [{ n: 1, ...green }],
  gate: green,
  verdict: "passed" as const,
};

test("does not report a green verify command with a red gate as fixed", () => {
  const checks = { baseline: { verify: green, gate: red, cached: true }, attempts: [{ verify: green, gate: green }] };
  const verify = verifyOfReport(commandsOf({ gate: GATE }), report, checks);
  assert.deepEqual(verify, {
    baseline: { ...green, cached: true },
    attempts: [{ n: 1, ...green, verify: green, gate: green }],
    gate: { cmd: GATE.cmd, baseline: red, result: green, ...green },
    verdict: "passed",
  });
  assert.equal(isFixed(verify), false);
});

test("reports a red verify command that passes after the change as fixed", () => {
  const checks = { baseline: { verify: red, gate: null, cached: false }, attempts: [{ verify: green, gate: null }] };
  const verify = verifyOfReport(commandsOf({}), { ...report, gate: null }, checks);
  assert.equal(isFixed(verify), true);
  assert.equal(isFixed({ ...verify, verdict: "gate_only" }), false);
});

test("leaves the failed one of two combined commands unknown, and never reports it as fixed", () => {
  const verify = readStoredVerify(commandsOf({ gate: GATE }), report);
  assert.deepEqual(verify, {
    baseline: null,
    attempts: [{ n: 1, ...green, verify: green, gate: green }],
    gate: { cmd: GATE.cmd, baseline: null, result: green, ...green },
    verdict: "passed",
  });
  assert.equal(isFixed(verify), false);
  const earlier = { baseline: { ...red, cached: false }, attempts: [], gate: null, verdict: null };
  assert.equal(readStoredVerify(commandsOf({ gate: GATE }), earlier).baseline, null);
});

test("reads a combined report of one command as that command's", () => {
  const gateOnly = readStoredVerify(commandsOf({ verifyCmd: null, gate: GATE }), report);
  assert.deepEqual(
    [gateOnly.baseline, gateOnly.gate],
    [null, { cmd: GATE.cmd, baseline: red, result: green, ...green }],
  );
  const verifyOnly = readStoredVerify(commandsOf({}), { ...report, gate: null });
  assert.deepEqual([verifyOnly.baseline, verifyOnly.gate], [{ ...red, cached: true }, null]);
  assert.equal(isFixed(verifyOnly), true);
});

test("reads separately stored results unchanged", () => {
  const commands = commandsOf({ gate: GATE });
  const checks = { baseline: { verify: green, gate: red, cached: true }, attempts: [{ verify: null, gate: null }] };
  const verify = verifyOfReport(commands, report, checks);
  assert.deepEqual(readStoredVerify(commands, verify), verify);
  assert.equal(readStoredVerify(commands, NOT_VERIFIED), NOT_VERIFIED);
});

test("sends the result of a gate to clients of 0.1, also from rows that lack it", () => {
  const commands = commandsOf({ gate: GATE });
  const separate = { cmd: GATE.cmd, baseline: red, result: green };
  // A row from before the compatible members.
  const stored = { ...NOT_VERIFIED, gate: separate } as unknown as RunVerify;
  assert.deepEqual(readStoredVerify(commands, stored).gate, { ...separate, exit_code: 0, duration_ms: 6 });
  const notRun = verifyOfReport(commands, { baseline: null, attempts: [], gate: null, verdict: null });
  assert.deepEqual(notRun.gate, { cmd: GATE.cmd, baseline: null, result: null, exit_code: null, duration_ms: 0 });
});
