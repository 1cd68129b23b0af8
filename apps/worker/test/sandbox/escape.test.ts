import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createWorktrees } from "../../src/sandbox/worktree.ts";
import { ESCAPES } from "./escapes.ts";
import { furnish, openHost } from "./host.ts";
import { inSandbox, openSandbox } from "./open-sandbox.ts";

test(`blocks ${ESCAPES.length} sandbox escapes`, inSandbox, async (t) => {
  await using host = await openHost();
  await using sandbox = await openSandbox();
  await using open = await openSandbox({ sandboxes: (access) => createWorktrees("worktree", access) });
  const corePattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
  const inside = { ...host.environment, ...furnish(sandbox) };
  const beside = { ...host.environment, ...furnish(open) };

  for (const { what, script, isOpenOutside } of ESCAPES)
    await t.test(what, async () => {
      const { end, output } = await sandbox.run(script, { environment: inside });
      assert.ok(end.kind === "exited" && end.code !== 127, `${JSON.stringify(end)} ${output}`);
      assert.notEqual(end.code, 0, output);
      if (isOpenOutside !== true) return;
      const outside = await open.run(script, { environment: beside });
      assert.deepEqual(outside.end, { kind: "exited", code: 0 }, outside.output);
      rmSync(join(host.outside, "written"), { force: true });
    });

  assert.deepEqual(readdirSync(host.outside).sort(), ["secret", "socket"]);
  assert.deepEqual(readdirSync(sandbox.folders.gitFolder), ["config"]);
  assert.deepEqual(readdirSync(sandbox.folders.notes), []);
  assert.equal(readFileSync(join(sandbox.folders.gitFolder, "config"), "utf8"), "[core]\n");
  assert.equal(readFileSync("/proc/sys/kernel/core_pattern", "utf8"), corePattern);
  assert.ok(host.isSleeping());
});
