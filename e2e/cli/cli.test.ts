/**
 * `npm run e2e:cli`: real coding CLIs, from red to an open pull request, without a network. This folder installs Codex; others take part
 * where they are in PATH. Everything runs in a sandbox where the machine supports one.
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
/** Model names that each CLI knows; none is ever called. */
const MODELS: Readonly<Record<string, string>> = { gemini: "gemini-2.5-pro", claude: "claude-sonnet-4-5" };

const REPAIR = "sed -i 's/a - b/a + b/' sum.mjs && echo ok";
const repair: Script = ({ tools, results }) => {
  if (tools.length === 0) return { kind: "text", text: "Sum" };
  return results === 0 ? shell(tools, REPAIR) : { kind: "text", text: "Done: the sum adds." };
};

for (const cli of CLIS) {
  const program = PATH.find((folder) => isProgram(join(folder, cli)));
  const skip = program === undefined ? `${cli} is not in PATH` : false;
  test(`${cli} fixes a failing repository and opens a pull request (${ISOLATION})`, { skip }, async (t) => {
    await withStory({ cli, script: repair, isolation: ISOLATION, path: program ?? "" }, async (story) => {
      const model = MODELS[cli] ?? "gpt-x";
      const team = { preset: "solo", members: [{ role: "coder", cli, model }] };
      const first = await story.run({ focus: "Repair the sum.", team });
      assert.equal(first.state, "pr_open", `${JSON.stringify(first)}\n${story.output()}`);
      assert.deepEqual([first.verify.baseline?.exit_code, first.verify.verdict], [1, "passed"]);
      assert.equal(first.isolation.level, ISOLATION);
      // The model proxy counts the model's reported usage, whatever the CLI reports.
      const { turns, input_tokens } = first.usage;
      assert.ok(turns >= 2 && input_tokens >= 2_000, JSON.stringify(first.usage));
      // The same change again needs no second pull request, but the worker still pushes it.
      const second = await story.run({ focus: "Repair the sum once more.", team });
      assert.deepEqual([second.state, second.warnings], ["pushed", ["duplicate_patch"]]);
      assert.equal(story.forge.pulls.all.length, 1);
      t.diagnostic(
        `${cli}: red to pushed in ${seconds(first)} s, and in ${seconds(second)} s for the same change again`,
      );
      // Every call came through the model proxy with the real key, which the CLI never sees.
      assert.ok(story.model.calls.every(({ key }) => key === story.key));
      assert.ok(story.model.calls.every(({ text }) => !text.includes(story.key)));
      assert.ok(!story.output().includes(story.key));
    });
  });
}

const PLAN = { summary: "The sum subtracts.", steps: ["Add instead of subtracting."] };
const REVIEW = { verdict: "changes", comments: [{ path: "sum.mjs", line: 1, text: "Say what a and b may be." }] };

/** Each team member gets its role's prompt, and the model plays it. */
const trio: Script = (call) => {
  const includesText = (excerpt: string) => call.text.includes(excerpt);
  if (includesText("You plan; another agent writes the code")) return { kind: "text", text: JSON.stringify(PLAN) };
  if (includesText("You review this change")) return { kind: "text", text: JSON.stringify(REVIEW) };
  return repair(call);
};

test(`a team of three codex agents opens a draft with the reviewer's open comments (${ISOLATION})`, async () => {
  await withStory({ cli: "codex", script: trio, isolation: ISOLATION, path: OWN_PROGRAMS }, async (story) => {
    const members = ["planner", "coder", "reviewer"].map((role) => ({ role, cli: "codex", model: "gpt-x" }));
    const run = await story.run({ focus: "Repair the sum.", team: { preset: "trio", max_rounds: 1, members } });
    assert.equal(run.state, "pr_open", `${JSON.stringify(run)}\n${story.output()}`);
    assert.deepEqual(Object.keys(run.usage.by_role).toSorted(), ["coder", "planner", "reviewer"]);
    const [pull] = story.forge.pulls.all;
    assert.ok(pull?.draft);
    assert.match(pull.body, /no reviewer approved this change[\s\S]*sum\.mjs:1 {2}Say what a and b may be\./);
    const toCoder = story.model.calls.find(({ text }) => text.includes("Plan by another agent"));
    assert.ok(toCoder?.text.includes("Add instead of subtracting."));
  });
});

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
