/**
 * `npm run e2e:cli`: real coding CLIs, from red to an open pull request, without a network. Codex is installed by this folder; the
 * others take part where they are in PATH. Everything runs in a sandbox where this machine can build one.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { shell, type Script } from "./model-server.ts";
import { OWN_PROGRAMS, withStory, type Run } from "./story.ts";

const CLIS = ["codex", "claude", "gemini", "opencode", "qwen", "pi", "cline"];
const PATH = [OWN_PROGRAMS, ...(process.env["PATH"] ?? "").split(delimiter)];
const ISOLATION = canBuildSandbox() ? "sandbox" : "worktree";
/** Of the names that each of them knows; none of them is ever called. */
const MODELS: Readonly<Record<string, string>> = { gemini: "gemini-2.5-pro", claude: "claude-sonnet-4-5" };

const REPAIR = "sed -i 's/a - b/a + b/' sum.mjs && echo ok";
const repair: Script = ({ tools, results }) => {
  if (tools.length === 0) return { kind: "text", text: "Sum" };
  return results === 0 ? shell(tools, REPAIR) : { kind: "text", text: "Done: the sum adds." };
};

for (const cli of CLIS) {
  const program = PATH.find((folder) => isProgram(join(folder, cli)));
  const skip = program === undefined ? `${cli} is not in PATH` : false;
  test(`${cli} takes a red repository to an open pull request (${ISOLATION})`, { skip }, async (t) => {
    await withStory({ cli, script: repair, isolation: ISOLATION, path: program ?? "" }, async (story) => {
      const model = MODELS[cli] ?? "gpt-x";
      const team = { preset: "solo", members: [{ role: "coder", cli, model }] };
      for (const focus of ["Repair the sum.", "Repair the sum once more."]) {
        const run = await story.run({ focus, team });
        assert.equal(run.state, "pr_open", `${JSON.stringify(run)}\n${story.said()}`);
        assert.deepEqual([run.verify.baseline?.exit_code, run.verify.verdict], [1, "passed"]);
        assert.equal(run.isolation.level, ISOLATION);
        // The door counts what the model said it used, whatever the CLI reports.
        assert.ok(run.usage.turns >= 2 && run.usage.input_tokens >= 2_000, JSON.stringify(run.usage));
        t.diagnostic(`${cli}: red to pushed in ${seconds(run)} s, ${run.usage.turns} turns`);
      }
      assert.equal(story.forge.pulls.all.length, 2);
      // Every call came through the worker's door: the key is the real one, and the CLI has never seen it.
      assert.ok(story.model.calls.every(({ key }) => key === story.key));
      assert.ok(story.model.calls.every(({ text }) => !text.includes(story.key)));
      assert.ok(!story.said().includes(story.key));
    });
  });
}

function seconds({ times }: Run): string {
  const pushed = times.pushed_at === null ? Number.NaN : Date.parse(times.pushed_at);
  return ((pushed - Date.parse(times.queued_at)) / 1_000).toFixed(2);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function canBuildSandbox(): boolean {
  try {
    execFileSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
