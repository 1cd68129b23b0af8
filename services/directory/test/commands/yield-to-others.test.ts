/** A long command goes last with all its threads: V8's helpers, which run before it says so, would take a service's processor at full right. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { test } from "node:test";

const PROGRAM = `
  import { readdirSync } from "node:fs";
  import { getPriority } from "node:os";
  import { yieldToOthers } from ${JSON.stringify(new URL("../../src/commands/yield-to-others.ts", import.meta.url).href)};
  yieldToOthers();
  console.log(JSON.stringify(readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)))));`;
const isElsewhere = process.platform !== "linux" && "threads have no priority of their own here";

test("every thread of a command that yields goes last", { skip: isElsewhere }, () => {
  const priorities = prioritiesStartedWith(0);
  assert.ok(priorities.length > 1, "V8 has helpers");
  assert.ok(priorities.every((priority) => priority >= constants.priority.PRIORITY_BELOW_NORMAL));
});

test("a command that was started with less keeps it", { skip: isElsewhere }, () => {
  assert.ok(prioritiesStartedWith(15).every((priority) => priority >= 15));
});

function prioritiesStartedWith(niceness: number): number[] {
  const words = [process.execPath, "--input-type=module", "-e", PROGRAM];
  const { stdout, stderr } = spawnSync("nice", ["-n", String(niceness), ...words], { encoding: "utf8" });
  assert.match(stdout, /^\[/, stderr);
  return JSON.parse(stdout);
}
