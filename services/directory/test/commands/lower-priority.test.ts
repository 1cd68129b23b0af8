/** A long command lowers the priority of all its threads, including V8's helpers, which start earlier. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { test } from "node:test";

const PROGRAM = `
  import { readdirSync } from "node:fs";
  import { getPriority } from "node:os";
  import { lowerPriority } from ${JSON.stringify(new URL("../../src/commands/lower-priority.ts", import.meta.url).href)};
  lowerPriority();
  console.log(JSON.stringify(readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)))));`;
const isElsewhere = process.platform !== "linux" && "threads have no priority of their own here";

test("lowers the priority of every thread of a command", { skip: isElsewhere }, () => {
  const priorities = prioritiesStartedWith(0);
  assert.ok(priorities.length > 1, "V8 has helpers");
  assert.ok(priorities.every((priority) => priority >= constants.priority.PRIORITY_BELOW_NORMAL));
});

test("keeps a lower priority that a command was started with", { skip: isElsewhere }, () => {
  assert.ok(prioritiesStartedWith(15).every((priority) => priority >= 15));
});

function prioritiesStartedWith(niceness: number): number[] {
  const args = [process.execPath, "--input-type=module", "-e", PROGRAM];
  const { stdout, stderr } = spawnSync("nice", ["-n", String(niceness), ...args], { encoding: "utf8" });
  assert.match(stdout, /^\[/, stderr);
  return JSON.parse(stdout);
}
