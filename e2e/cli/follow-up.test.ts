/**
 * From red to merged: the check of the Git host fails after the push, a follow-up repairs it from the log, a person merges, and the
 * statements verify. With a shell command, and with Codex on the scripted model. Prints the transcript of docs/follow-ups.md.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Forge } from "@triptych/fake-forge";
import type { Run as PanelRun } from "@triptych/contracts";
import { until } from "../processes.ts";
import { shell, type Script } from "./model-server.ts";
import { OWN_PROGRAMS, withStory, type Story } from "./story.ts";

const START = fileURLToPath(new URL("../../start.mjs", import.meta.url));
const LOG = "sum.mjs:1: sum has no comment";
const FIX = "sed -i 's/a - b/a + b/' sum.mjs";
const COMMENT = "sed -i '1i /** Adds two numbers. */' sum.mjs";

/** The agent of both: adds, and comments once the log of the check asks for it. */
const COMMAND = ["sh", "-c", `if grep -q '${LOG}' "$1"; then ${COMMENT}; else ${FIX}; fi`, "sh", "{prompt_file}"];
const model: Script = ({ tools, results, text }) => {
  if (tools.length === 0) return { kind: "text", text: "Sum" };
  if (results > 0) return { kind: "text", text: "Done." };
  return shell(tools, `${text.includes(LOG) ? COMMENT : FIX} && echo ok`);
};

const MEMBERS = {
  command: { role: "coder", cli: "command", command: COMMAND },
  codex: { role: "coder", cli: "codex", model: "gpt-x" },
};

for (const cli of ["command", "codex"] as const)
  test(`${cli} repairs the check of its pull request, which a person merges`, async (t) => {
    const options = {
      cli,
      script: model,
      isolation: "worktree",
      path: OWN_PROGRAMS,
      panel: { PANEL_FOLLOW_UP_POLL_S: "2" },
      settings: { follow_up: true, pr: { draft: false }, team: { preset: "solo", members: [MEMBERS[cli]] } },
    } as const;
    await withStory(options, async (story) => {
      startChecks(story.forge);
      await tellStory(t, story);
      if (cli === "codex") assert.ok(story.model.calls.some(({ text }) => text.includes(LOG)));
    });
  });

/** The project's own check: every exported function has a comment. */
function startChecks(forge: Forge): void {
  const bare = join(forge.folder, "acme", "sum.git");
  forge.discussion.onNewCommit = (sha) => {
    const source = execFileSync("git", ["-C", bare, "show", `${sha}:sum.mjs`]).toString();
    if (source.startsWith("/**")) return [{ name: "comments", state: "passed" }];
    return [{ name: "comments", state: "failed", log: `${LOG}\n` }];
  };
}

async function tellStory(t: TestContext, story: Story): Promise<void> {
  const { forge, ask } = story;
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const first = await story.run({ focus: "Repair the sum." });
  const read = (id: string) => ask<PanelRun>(`/api/runs/${id}`);
  const show = async (id: string) => {
    const { state, pr, follow_ups } = await read(id);
    say(`GET /api/runs/${id}`);
    say(
      JSON.stringify({ state, pr: { number: pr?.number, state: pr?.state, checks: pr?.checks }, follow_ups }, null, 2),
    );
  };
  say(`POST /api/repos/${story.repoId}/run {"focus":"Repair the sum."}`);
  say(`202 ${first.id}`);
  await until("the check is red", async () => (await read(first.id)).pr?.checks.state === "failed");
  const redAt = Date.now();
  await show(first.id);
  await until("the check is green", async () => (await read(first.id)).pr?.checks.state === "passed", 120_000);
  await show(first.id);
  const [followUp] = (await read(first.id)).follow_ups;
  assert.ok(followUp !== undefined);
  const run = await read(followUp.run_id);
  assert.deepEqual(
    [run.state, run.trigger.cause, run.focus],
    ["pr_open", "checks", "Fix the failing check `comments`"],
  );
  await until("the comment is final", async () => /\| pushed \|/.test(forge.discussion.comments[0]?.body ?? ""));
  const [comment, ...others] = forge.discussion.comments;
  assert.equal(others.length, 0);
  say(`The comment in pull request #1:\n${comment?.body}`);
  const bare = join(forge.folder, "acme", "sum.git");
  say(`$ git log --oneline --graph ${run.branch}`);
  say(
    execFileSync("git", ["-C", bare, "log", "--oneline", "--graph", run.branch ?? ""])
      .toString()
      .trim(),
  );
  forge.pulls.close(1, { merged: true });
  await until("the merge is seen", async () => (await read(first.id)).pr?.state === "merged");
  await show(first.id);
  for (const id of [first.id, run.id]) await verify(story, { id, bare, say });
  const { stats } = await ask<{ readonly stats: object }>(`/api/repos/${story.repoId}`);
  say(`GET /api/repos/${story.repoId}\n${JSON.stringify({ stats }, null, 2)}`);
  const seconds = (Date.parse(run.times.pushed_at ?? "") - redAt) / 1_000;
  t.diagnostic(`red check to pushed fix: ${seconds.toFixed(1)} s\n${lines.join("\n")}`);
}

interface Verifying {
  readonly id: string;
  readonly bare: string;
  readonly say: (line: string) => void;
}

async function verify({ url, forge, ask }: Story, { id, bare, say }: Verifying): Promise<void> {
  const file = join(forge.folder, `${id}.json`);
  writeFileSync(file, JSON.stringify(await ask(`/api/runs/${id}/statement`)));
  const args = ["run", "verify", file, "--repo", bare, "--jwks", `${url}/.well-known/jwks.json`];
  const printed = execFileSync(process.execPath, [START, ...args]).toString();
  assert.match(printed, /^Valid, and the repository has the commit/);
  say(`$ triptych run verify ${id}.json --repo sum.git --jwks ${url}/.well-known/jwks.json\n${printed.trim()}`);
}
