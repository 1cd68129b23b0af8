import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCheck, missingHosts } from "../../dashboard/src/labels/repos.ts";

const end = (exit_code: number | null) => ({ exit_code, duration_ms: 5 });
const CHECK = { state: "passed", message: null, setup: end(0), verify: end(0), checked_at: null } as const;
const words = (check: object) => describeCheck({ check: { ...CHECK, ...check }, default_branch: "main" });

test("says which commands work: setup, tests, or both", () => {
  assert.equal(words({}).text, "Setup works, tests pass");
  assert.equal(words({ verify: null }).text, "Setup works");
  assert.equal(words({ setup: null }).text, "Tests pass");
});

test("says which command fails, with its output", () => {
  const red = { state: "failed", message: "1 of 3 tests failed" };
  assert.deepEqual(words({ ...red, verify: end(1) }), {
    tone: "failure",
    text: "Tests fail on main",
    output: "1 of 3 tests failed",
  });
  assert.equal(words({ ...red, setup: end(null), verify: null }).text, "Setup fails on main");
});

test("says why commands cannot be checked", () => {
  const message = "go: not found (exit code 127)";
  assert.deepEqual(words({ state: "unavailable", message }), {
    tone: "attention",
    text: `Cannot be checked: ${message}`,
    output: null,
  });
});

test("offers hosts of the lock file only if the network policy blocks them", () => {
  const offered = (isolation: object, setup_cmd: string | null = "npm ci") =>
    missingHosts({
      detected_hosts: ["a.example", "b.example"],
      isolation: { network: "model_only", allow_hosts: [], level_required: "sandbox", ...isolation },
      verify: { setup_cmd, timeout_s: 900, retries: 1, baseline: true },
    });
  assert.deepEqual(offered({}), ["a.example", "b.example"]);
  assert.deepEqual(offered({ network: "allow_list", allow_hosts: ["a.example"] }), ["b.example"]);
  assert.deepEqual(offered({ allow_hosts: ["a.example"] }), ["a.example", "b.example"]);
  for (const network of ["open", "none"]) assert.deepEqual(offered({ network }), []);
  assert.deepEqual(offered({}, null), []);
});
