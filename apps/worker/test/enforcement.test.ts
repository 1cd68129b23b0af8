import assert from "node:assert/strict";
import { test } from "node:test";
import { enforcementOf, refuseRootWithoutSandbox } from "../src/sandbox/enforcement.ts";

const BARE = { level: "worktree", lacks: "bubblewrap is not installed.", samplingReason: null } as const;
const SANDBOX = { level: "sandbox", lacks: null, samplingReason: "no cgroup" } as const;

test("refuses to start as root without a sandbox, unless allowed explicitly", () => {
  const root = { mayBeRoot: false, user: 0 };
  assert.throws(() => refuseRootWithoutSandbox(BARE, root), /as root without a sandbox: bubblewrap.*--allow-root/);
  assert.throws(() => refuseRootWithoutSandbox({ ...BARE, level: "none", lacks: null }, root), /--isolation is none/);
  refuseRootWithoutSandbox(BARE, { mayBeRoot: true, user: 0 });
  refuseRootWithoutSandbox(BARE, { mayBeRoot: false, user: 1000 });
  refuseRootWithoutSandbox(SANDBOX, root);
});

test("logs the enforced isolation at start, and warns if commands are not isolated", () => {
  assert.deepEqual(enforcementOf(SANDBOX, 1000), [
    "isolation sandbox; network policy enforced; memory and processes limited by sampling (no cgroup); user uid 1000",
  ]);
  assert.deepEqual(enforcementOf(BARE, 0), [
    "isolation worktree; network policy not enforced; memory and processes limited by sampling; user root",
    "warning: repository commands run with all permissions on this machine; runs that require a sandbox stay queued. No sandbox: bubblewrap is not installed.",
  ]);
});
