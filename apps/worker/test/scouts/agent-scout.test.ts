import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedAgent, type AgentScript } from "../../src/index.ts";
import { foundBy, scoutOn, type ScoutOptions } from "../support/explore-story.ts";
import { makeRepository } from "../support/repository.ts";
import { CLEAN } from "../support/scouted-repositories.ts";

type Steps = AgentScript["rounds"][number];
const saying = (...rounds: readonly Steps[]) => createScriptedAgent({ rounds: [...rounds] }, async () => {});
const message = (text: string): Steps => [{ do: "message", text }];

const idea = (cmd: string, more: object = {}) => ({
  title: "The table is too short",
  focus: "Give the table fifty rows.",
  gate: { cmd, frozen_paths: ["test/table.test.js"] },
  category: "bug",
  rationale: "Forty are not enough.",
  evidence: [{ path: "src/table.js", line: 1, excerpt: "export const table" }, { path: "src/made-up.js" }],
  score: 0.8,
  effort: "s",
  risk: "low",
  ...more,
});
const answer = (...candidates: readonly object[]) =>
  `I looked.\n\`\`\`json\n${JSON.stringify({ candidates })}\n\`\`\`\n`;
const RED = "node -e \"import('./src/table.js').then(({ table }) => process.exit(table.length < 50 ? 1 : 0))\"";

const BY_AGENT = { scouts: { scan: false, agent: true } } as const;
const asking = (agent: ScoutOptions["agent"], request: ScoutOptions["request"] = BY_AGENT) => ({ agent, request });

test("verifies an agent's proposals, and drops green and unrunnable ones", async () => {
  await using repository = makeRepository(CLEAN);
  const agent = saying(message(answer(idea(RED), idea("true", { title: "Fine" }), idea("no-such-program"))));
  const scouted = await scoutOn(repository, asking(agent));
  const { candidates } = foundBy(scouted);
  assert.deepEqual(
    candidates.map(({ title, source, gate_proof, mendable }) => [title, source, gate_proof.exit_code, mendable]),
    [
      ["The table is too short", "agent", 1, false],
      ["Fine", "agent", 0, false],
    ],
  );
  assert.deepEqual(
    candidates[0]?.evidence.map(({ path }) => path),
    ["src/table.js"],
  );
  assert.deepEqual(candidates[0]?.gate.frozen_paths, ["test/table.test.js"]);
  const logs = scouted.items.filter(({ kind }) => kind === "log").map(({ text }) => text);
  assert.deepEqual(logs.toSorted(), [
    "Fine: its gate already passes",
    "The table is too short: the gate cannot run: no-such-program: not found (exit code 127). Install it on the worker or in the setup command, or change the gate.",
  ]);
});

test("retries an unreadable answer once with its errors, then fails the scout", async () => {
  await using repository = makeRepository(CLEAN);
  const late = foundBy(
    await scoutOn(repository, asking(saying(message('{"candidates":[{}]}'), message(answer(idea(RED)))))),
  );
  assert.equal(late.candidates.length, 1);
  const never = await scoutOn(repository, asking(saying(message("Nothing to report."))));
  assert.ok(never.outcome.kind === "failed");
  assert.deepEqual(
    [never.outcome.code, never.outcome.message],
    ["agent_error", "the scout's answer is invalid: it contains no JSON object with `candidates`"],
  );
  const both = { scouts: { scan: true, agent: true }, checks: ["missing_file"] } as const;
  const beside = await scoutOn(repository, asking(saying(message("Nothing.")), both));
  assert.deepEqual(foundBy(beside).candidates, []);
  assert.equal(beside.items.filter(({ kind }) => kind === "error").length, 1);
});

const WRITES: readonly (readonly [string, Steps[number]])[] = [
  ["changes a file", { do: "replace", path: "src/sum.js", find: "a + b", with: "a - b" }],
  ["adds one", { do: "write", path: "notes.txt", text: "mine" }],
  ["adds one that git does not look at", { do: "write", path: "node_modules/x/index.js", text: "" }],
  ["removes one", { do: "delete", path: "LICENSE" }],
];
test("fails a scout that writes, and changes no tree", async () => {
  await using repository = makeRepository({ ...CLEAN, ".gitignore": "node_modules\n" });
  for (const [what, step] of WRITES) {
    const agent = saying([step, { do: "message", text: answer(idea(RED)) }]);
    const { outcome } = await scoutOn(
      repository,
      asking(agent, { scouts: { scan: true, agent: true }, checks: ["todo"] }),
    );
    assert.deepEqual([outcome.kind, outcome.kind === "failed" && outcome.code], ["failed", "policy_violation"], what);
  }
});

test("drops a finding whose gate contains a secret, and redacts all texts", async () => {
  await using repository = makeRepository(CLEAN);
  const agent = saying(message(answer(idea("test hunter2-hunter2 = x"), idea(RED, { title: "Says hunter2-hunter2" }))));
  const hostEnvironment = { MY_PASSWORD: "hunter2-hunter2" };
  const scouted = await scoutOn(repository, { ...asking(agent), hostEnvironment });
  const { candidates } = foundBy(scouted);
  assert.deepEqual(
    candidates.map(({ title }) => title),
    ["Says [redacted:MY_PASSWORD]"],
  );
  assert.doesNotMatch(JSON.stringify([candidates, scouted.items]), /hunter2/);
});

test("verifies earlier findings again, or only counts those that need no proof", async () => {
  await using repository = makeRepository({ ...CLEAN, "README.md": "[gone](gone.md)\n[away](away.md)\n" });
  const request = { checks: ["dead_link"] } as const;
  const first = foundBy(await scoutOn(repository, { request })).candidates;
  const [one, other] = first;
  assert.ok(one !== undefined && other !== undefined);
  const gate = (command: string) => ({ command, timeoutS: 60 });
  const existingFindings = [
    { fingerprint: one.fingerprint, gate: null, paths: [] },
    { fingerprint: other.fingerprint, gate: gate(other.gate.cmd), paths: ["README.md"] },
    { fingerprint: "sha256:green", gate: gate("triptych gate has readme"), paths: ["src/gone.js"] },
    { fingerprint: "sha256:red", gate: gate("test -e nothing"), paths: ["src/gone.js", "src/sum.js"] },
    { fingerprint: "sha256:broken", gate: gate("no-such-program"), paths: ["src/gone.js"] },
  ];
  const report = foundBy(await scoutOn(repository, { request: { ...request, existingFindings, maxCandidates: 0 } }));
  assert.deepEqual(report.repeated, [one.fingerprint]);
  assert.deepEqual(
    report.candidates.map(({ fingerprint }) => fingerprint),
    [other.fingerprint],
  );
  assert.deepEqual(
    report.proofs.map(({ fingerprint, proof, isEvidenceGone }) => [fingerprint, proof?.exit_code, isEvidenceGone]),
    [
      ["sha256:green", 0, true],
      ["sha256:red", 1, false],
      ["sha256:broken", undefined, true],
    ],
  );
});

test("shows setup output to commands, and only repository files to scouts", async () => {
  await using repository = makeRepository(CLEAN);
  const verify = { command: "test -e made", setupCommand: "touch made", timeoutS: 60, retries: 0, baseline: true };
  const scouted = await scoutOn(repository, { request: { verify } });
  assert.deepEqual(foundBy(scouted).candidates, []);
  const broken = await scoutOn(repository, { request: { verify: { ...verify, setupCommand: "false" } } });
  assert.ok(broken.outcome.kind === "failed");
  assert.equal(broken.outcome.code, "setup_failed");
});
