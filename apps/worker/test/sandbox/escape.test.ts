import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createWorktrees } from "../../src/sandbox/worktree.ts";
import { ESCAPES } from "./escapes.ts";
import { openHost, writeRunFiles } from "./host.ts";
import { inSandbox, openSandbox } from "./open-sandbox.ts";

test(`blocks ${ESCAPES.length} sandbox escapes`, inSandbox, async (t) => {
  await using host = await openHost();
  await using sandbox = await openSandbox();
  await using unsandboxed = await openSandbox({ sandboxes: (access) => createWorktrees("worktree", access) });
  const corePattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
  const environment = { ...host.environment, ...writeRunFiles(sandbox) };
  const unsandboxedEnvironment = { ...host.environment, ...writeRunFiles(unsandboxed) };

  for (const { what, script, succeedsUnsandboxed } of ESCAPES)
    await t.test(`blocks ${what}`, async () => {
      const { end, output } = await sandbox.run(script, { environment });
      assert.ok(end.kind === "exited" && end.code !== 127, `${JSON.stringify(end)} ${output}`);
      assert.notEqual(end.code, 0, output);
      if (succeedsUnsandboxed !== true) return;
      const result = await unsandboxed.run(script, { environment: unsandboxedEnvironment });
      assert.deepEqual(result.end, { kind: "exited", code: 0 }, result.output);
      rmSync(join(host.outside, "written"), { force: true });
    });

  assert.deepEqual(readdirSync(host.outside).sort(), ["secret", "socket"]);
  assert.deepEqual(readdirSync(sandbox.folders.gitFolder), ["config"]);
  assert.deepEqual(readdirSync(sandbox.folders.notes), []);
  assert.equal(readFileSync(join(sandbox.folders.gitFolder, "config"), "utf8"), "[core]\n");
  assert.equal(readFileSync("/proc/sys/kernel/core_pattern", "utf8"), corePattern);
  assert.ok(host.isSleeperRunning());
});
