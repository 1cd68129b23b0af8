import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createCommandAgent, createScriptedAgent, readScript, type Agent } from "../src/index.ts";
import { git, makeRepository, RED_FILES, VERIFY } from "./support/repository.ts";
import { openWitness } from "./support/witness.ts";
import { LIMITS, runStory } from "./support/run-story.ts";

const noWait = async () => {};
const scripted = (...rounds: readonly object[][]): Agent => createScriptedAgent(readScript({ rounds }), noWait);
const REPAIR = { do: "replace", path: "sum.mjs", find: "a - b", with: "a + b" };
const EVIL_NAMES = { "-rf": "dash\n", "two\nlines": "newline\n", " spaced name ": "space\n", ":(glob)**": "magic\n" };

test("repairs a red repository, verifies it and delivers a bundle that a quarantine accepts", async () => {
  await using repository = makeRepository({ ...RED_FILES, ...EVIL_NAMES });
  const named = Object.keys(EVIL_NAMES).map((path) => ({ do: "write", path, text: "changed\n" }));
  const { outcome, states, items } = await runStory(repository, { agent: scripted([REPAIR, ...named]) });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.equal(outcome.report.verdict, "passed");
  assert.equal(outcome.report.baseline?.checks.verify, "red");
  assert.deepEqual(outcome.diff, { files: 5, insertions: 5, deletions: 5, lockLines: 0 });
  assert.deepEqual(
    states.map(({ state }) => state),
    ["preparing", "running", "verifying"],
  );
  assert.ok(items.some(({ kind, text }) => kind === "verify" && text.includes("sum(2, 3) is -1")));

  const quarantine = join(repository.folder, "quarantine.git");
  git(repository.folder, "clone", "--quiet", "--bare", repository.bare, quarantine);
  git(quarantine, "fetch", "--quiet", outcome.bundle.path, `refs/heads/${outcome.branch}:refs/heads/arrived`);
  assert.equal(git(quarantine, "rev-parse", "arrived"), outcome.headSha);
  assert.equal(git(quarantine, "rev-parse", "arrived^"), repository.sha);
  assert.equal(git(quarantine, "show", "arrived:sum.mjs"), "export const sum = (a, b) => a + b;");
  assert.equal(
    git(quarantine, "log", "-1", "--format=%s|%an|%(trailers:key=Panel-Run)", "arrived"),
    "Repair the sum|Triptych|Panel-Run: run_01",
  );
});

test("produces identical bytes for the same change and time, and leaves only the bundle", async () => {
  const once = async () => {
    await using repository = makeRepository(RED_FILES);
    const { outcome } = await runStory(repository, { agent: scripted([REPAIR]) });
    assert.ok(outcome.kind === "delivered");
    assert.deepEqual(readdirSync(join(repository.folder, "run")), ["run.bundle"]);
    return { ...outcome.bundle, path: "", base: repository.sha };
  };
  const [first, second] = [await once(), await once()];
  // The base commit differs when the clock has advanced a second between the two.
  if (first.base === second.base) assert.deepEqual(first, second);
  assert.match(first.sha256, /^[0-9a-f]{64}$/);
});

test("gives a command agent the task as a file and the tree as its folder, without a shell", async () => {
  await using repository = makeRepository(RED_FILES);
  const program = `
    const { readFileSync, writeFileSync } = require("node:fs");
    console.log(readFileSync(process.argv[1], "utf8").includes("Repair the sum") ? "task read" : "no task");
    console.log(process.argv.slice(2).join("|"));
    console.log(Object.keys(process.env).sort().join());
    writeFileSync("sum.mjs", "export const sum = (a, b) => a + b;\\n");`;
  const agent = createCommandAgent([process.execPath, "-e", program, "{prompt_file}", "{model}", "$(id); {x}"]);
  const member = { cli: "tool", model: "{worktree}", command: null };
  const { outcome, items } = await runStory(repository, {
    agent,
    member,
    hostEnvironment: { SOME_TOKEN: "hush-hush-hush" },
  });
  assert.equal(outcome.kind, "delivered");
  const output = items
    .filter(({ from }) => from.role === "coder" && from.cli === "tool")
    .map(({ text }) => text)
    .join("");
  assert.match(output, /task read\n\{worktree\}\|\$\(id\); \{x\}\n/);
  assert.match(output, /\nCI,HOME,PATH,TERM,TMPDIR,TRIPTYCH_NODE\n/);
});

test("does not deliver files that setup, the baseline and the checks create", async () => {
  await using repository = makeRepository({ ...RED_FILES, "lock.json": "1\n" });
  const verify = {
    command: `echo report > report.txt; ${VERIFY}`,
    setupCommand: "echo 2 > lock.json; echo made > made.txt",
    timeoutS: 60,
    retries: 0,
    baseline: true,
  };
  const { outcome } = await runStory(repository, { agent: scripted([REPAIR]), request: { verify } });
  assert.ok(outcome.kind === "delivered");
  assert.equal(outcome.diff.files, 1);
});

const IGNORING = { ...RED_FILES, ".gitignore": "made/\n", "version.txt": "1\n" };
const SET_UP = {
  command: `sh made/check.sh && ${VERIFY}`,
  setupCommand: "test ! -e broken && mkdir -p made && cp version.txt made/ && echo exit 0 > made/check.sh",
  timeoutS: 60,
  retries: 0,
  baseline: true,
};
const write = (path: string, text: string) => ({ do: "write", path, text });

test("ignores an agent's git-ignored files in checks and delivery", async () => {
  await using repository = makeRepository(IGNORING);
  const plants = [
    // Setup writes its own file to this path.
    [write("made/green", "")],
    // The agent's own ignore rules.
    [write(".gitignore", "made/\ngreen\n"), write("green", ""), write("note.md", "green\n")],
  ];
  for (const steps of plants) {
    const command = `test -e green || test -e made/green || (${SET_UP.command})`;
    const { outcome } = await runStory(repository, {
      agent: scripted([...steps, write("note.md", "all green\n")]),
      request: { verify: { ...SET_UP, command } },
    });
    assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
    assert.equal(outcome.report.verdict, "baseline_broken");
  }
});

test("sets up the delivery from scratch, and is red when a change breaks setup", async () => {
  await using repository = makeRepository(IGNORING);
  const verify = { ...SET_UP, command: `grep -q 2 made/version.txt && ${VERIFY}` };
  const newer = [REPAIR, write("version.txt", "2\n")];
  const good = await runStory(repository, { agent: scripted(newer), request: { verify } });
  assert.ok(good.outcome.kind === "delivered", JSON.stringify(good.outcome));
  const mended = [{ do: "delete", path: "broken" }];
  const broken = scripted([...newer, write("broken", "")], mended);
  const { outcome, items } = await runStory(repository, { agent: broken, request: { verify, maxRounds: 2 } });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.deepEqual(
    outcome.report.attempts.map(({ checks, verify: end }) => [checks.verify, end?.exitCode]),
    [
      ["red", 1],
      ["green", 0],
    ],
  );
  assert.ok(items.some(({ kind, round }) => kind === "verdict" && round === 1));
});

test("passes the check output to the second round, and fails the run without one", async () => {
  await using repository = makeRepository(RED_FILES);
  const wrong = { ...REPAIR, with: "a * b" };
  const failed = await runStory(repository, { agent: scripted([wrong]) });
  assert.ok(failed.outcome.kind === "failed");
  assert.equal(failed.outcome.code, "baseline_broken");

  const right = { ...REPAIR, find: "a * b" };
  const { outcome, states } = await runStory(repository, {
    agent: scripted([wrong], [right]),
    request: { maxRounds: 2 },
  });
  assert.equal(outcome.kind, "delivered");
  assert.deepEqual(
    states.map(({ state }) => state),
    ["preparing", "running", "verifying", "running", "verifying"],
  );
  assert.equal(outcome.report.attempts.length, 2);
});

test("gives a flaky verdict to a check that turns green without a change", async () => {
  await using repository = makeRepository(RED_FILES);
  // Red the second time of three: the baseline is the first.
  const command = 'n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n + 1)) > "$HOME/n"; test "$n" != 1';
  const verify = { command, setupCommand: null, timeoutS: 60, retries: 1, baseline: true };
  const { outcome } = await runStory(repository, { agent: scripted([REPAIR]), request: { verify } });
  assert.equal(outcome.kind, "delivered");
  assert.equal(outcome.report.verdict, "flaky");
});

test("delivers nothing without changes, and starts no agent for a green gate", async () => {
  await using repository = makeRepository(RED_FILES);
  const idle = await runStory(repository, { agent: scripted([{ do: "message", text: "all is well" }]) });
  assert.ok(idle.outcome.kind === "no_change");
  assert.equal(idle.outcome.code, "ok");

  const gate = { command: "true", baseline: "must_fail", timeoutS: 60, frozenPaths: [] } as const;
  const { outcome, items } = await runStory(repository, { agent: scripted([REPAIR]), request: { gate } });
  assert.ok(outcome.kind === "no_change");
  assert.equal(outcome.code, "gate_not_red");
  assert.ok(!items.some(({ from }) => from.role === "coder"));
});

test("starts no agent when a gate that must be green is red, and reports the baseline", async () => {
  await using repository = makeRepository(RED_FILES);
  const gate = { command: "exit 3", baseline: "must_pass", timeoutS: 60, frozenPaths: [] } as const;
  const verify = { command: "true", setupCommand: null, timeoutS: 60, retries: 0, baseline: true };
  const { outcome, items } = await runStory(repository, { agent: scripted([REPAIR]), request: { gate, verify } });
  assert.ok(outcome.kind === "failed" && outcome.code === "baseline_broken");
  assert.deepEqual(outcome.report.baseline?.checks, { verify: "green", gate: "red" });
  assert.equal(outcome.report.baseline.gate?.exitCode, 3);
  assert.ok(!items.some(({ from }) => from.role === "coder"));
});

test("runs a gate with the base's tests, whatever the agent changed", async () => {
  await using repository = makeRepository(RED_FILES);
  const gate = { command: VERIFY, baseline: "must_fail", timeoutS: 60, frozenPaths: ["sum.test.sh"] } as const;
  const verify = { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true };
  const cheat = { do: "write", path: "sum.test.sh", text: "" };
  const cheated = await runStory(repository, { agent: scripted([cheat]), request: { gate, verify } });
  assert.ok(cheated.outcome.kind === "no_change");

  const { outcome } = await runStory(repository, { agent: scripted([cheat, REPAIR]), request: { gate, verify } });
  assert.ok(outcome.kind === "delivered");
  assert.equal(outcome.diff.files, 1);
  assert.deepEqual(outcome.warnings, []);
});

test("redacts a secret of the focus in the commit message", async () => {
  await using repository = makeRepository(RED_FILES);
  const request = { focus: `Use ghp_${"a1".repeat(18)} once` };
  const { outcome } = await runStory(repository, { agent: scripted([REPAIR]), request });
  assert.ok(outcome.kind === "delivered");
  git(repository.bare, "fetch", "--quiet", outcome.bundle.path, `refs/heads/${outcome.branch}:refs/heads/arrived`);
  assert.equal(git(repository.bare, "log", "-1", "--format=%s", "arrived"), "Use [redacted:github_token] once");
});

const refused: readonly (readonly [string, string, readonly object[]])[] = [
  ["a workflow", "protected_path", [{ do: "write", path: ".github/workflows/ci.yml", text: "on: [push]\n" }]],
  ["a new workflow", "protected_path", [{ do: "write", path: ".github/workflows/x.yml", text: "on: push\n" }]],
  ["a token", "secret_in_diff", [{ do: "write", path: "a b.txt", text: `t = ghp_${"a1".repeat(18)}\n` }]],
  ["a secret of the worker", "secret_in_diff", [{ do: "write", path: "note", text: "hush-hush-hush\n" }]],
  ["too many lines", "diff_too_large", [{ do: "write", path: "long", text: "line\n".repeat(1501) }]],
  ["an end by itself", "agent_error", [{ do: "fail", message: "no more credit" }]],
];
for (const [what, code, steps] of refused)
  test(`ends the run as ${code} on ${what}, without a commit or a named secret`, async () => {
    await using repository = makeRepository(RED_FILES);
    const hostEnvironment = { SOME_TOKEN: "hush-hush-hush" };
    const { outcome, items } = await runStory(repository, { agent: scripted([REPAIR, ...steps]), hostEnvironment });
    assert.ok(outcome.kind === "failed");
    assert.equal(outcome.code, code);
    // Work ended by a limit is saved, with secrets redacted.
    const diffItem = items.find(({ kind }) => kind === "diff");
    assert.equal(/^\+line$/m.test(diffItem?.text ?? ""), code === "diff_too_large");
    assert.ok(!/hush-hush|ghp_a/.test(JSON.stringify(outcome)));
    assert.deepEqual(readdirSync(join(repository.folder, "run")), []);
  });

test("refuses a link out of the tree and a repository in the tree", async () => {
  await using repository = makeRepository(RED_FILES);
  const agent = createCommandAgent([
    "/bin/sh",
    "-c",
    "ln -s ../../etc out; git init -q sub; cd sub; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
  ]);
  const { outcome } = await runStory(repository, {
    agent,
    request: { verify: { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true } },
  });
  assert.ok(outcome.kind === "failed");
  assert.equal(outcome.code, "policy_violation");
  assert.match(outcome.message, /"out" links outside the tree/);
  assert.match(outcome.message, /"sub" is a nested repository/);
});

test("kills the agent of a cancelled run with all its processes", async () => {
  await using repository = makeRepository(RED_FILES);
  await using witness = await openWitness();
  const stop = new AbortController();
  const script = `trap '' TERM; exec 3> '${witness.path}'; sleep 600 & echo begun; wait; wait`;
  const agent = createCommandAgent(["/bin/sh", "-c", script]);
  const onItem = ({ text }: { readonly text: string }) => {
    if (text === "begun\n") stop.abort();
  };
  const { outcome } = await runStory(repository, { agent, signal: stop.signal, onItem });
  assert.equal(outcome.kind, "cancelled");
  await witness.gone;
});

test("fails the clone for a commit outside the branch, and for an address like an option", async () => {
  await using repository = makeRepository(RED_FILES);
  const clone = { repository: "sum", url: repository.url, branch: "main", sha: "0".repeat(40), bearer: null };
  for (const request of [clone, { ...clone, url: "--upload-pack=touch x" }, { ...clone, branch: "--all" }]) {
    const { outcome } = await runStory(repository, { agent: scripted([REPAIR]), request: { clone: request } });
    assert.ok(outcome.kind === "failed");
    assert.equal(outcome.code, "clone_failed");
  }
});

test("does not clone a repository larger than its disk limit", async () => {
  const noise = Array.from({ length: 60_000 }, (_, at) => (at * 2_654_435_761) % 4_294_967_296).join("\n");
  await using repository = makeRepository({ ...RED_FILES, noise: `${noise}\n${noise}\n` });
  const limits = { ...LIMITS, diskMb: 1 };
  const { outcome } = await runStory(repository, { agent: scripted([REPAIR]), request: { limits } });
  assert.ok(outcome.kind === "failed");
  assert.equal(outcome.code, "clone_failed");
});
