import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { completionFor } from "../src/completion.ts";

/** The completions that bash offers at the end of a line. */
function offered(line: string): readonly string[] {
  const words = line.split(" ");
  const script = `${completionFor("bash")}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_triptych
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" }).split("\n").filter(Boolean);
}

test("bash completes commands, options, values of options, and values of arguments", () => {
  assert.deepEqual(offered("triptych dir"), ["directory"]);
  assert.deepEqual(offered("triptych directory keys r"), ["rotate", "revoke"]);
  assert.deepEqual(offered("triptych directory keys create --na"), ["--name"]);
  assert.deepEqual(offered("triptych directory keys create --plan "), ["discovery", "pro"]);
  assert.deepEqual(offered("triptych completion "), ["--help", "bash", "zsh", "fish"]);
  assert.deepEqual(offered("triptych directory import file.csv --dry"), ["--dry-run"]);
});

for (const shell of ["zsh", "fish"] as const) {
  const isMissing = spawnSync(shell, ["--version"]).error !== undefined;
  test(`${shell} accepts its script`, { skip: isMissing && `${shell} is not installed` }, () => {
    execFileSync(shell, ["-c", completionFor(shell)], { stdio: "pipe" });
  });
}
