import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "@triptych/contracts";
import { messageOf, numbered } from "../../src/domain/bus-lines.ts";
import { proposal } from "../support/candidate.ts";
import { GREEN, createChannelFixture, REPO, SHA, PRICES } from "../support/create-channel-fixture.ts";

test("sums the usage of roles in the run, and stores each proposed memory once as pending", async () => {
  await using fixture = await createChannelFixture();
  const { access_token: token, license_key: key } = await fixture.make("pro");
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  const worker = await fixture.join(key);
  await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {});
  const { run_id, epoch } = await worker.next("assign");
  worker.say({ t: "accept", run_id, epoch });
  const used = {
    input_tokens: 9,
    cached_tokens: 1,
    output_tokens: 2,
    cost_micro: 5,
    turns: 1,
    cost_source: "reported",
  };
  const item = { at: "2026-11-22T10:00:00Z", from: { role: "coder", cli: "codex" }, text: "", data: {} };
  const items = [
    { ...item, wseq: 1, kind: "usage", data: { role: "coder", ...used } },
    {
      ...item,
      wseq: 2,
      kind: "memory_proposal",
      text: "Run npm ci first.",
      data: { kind: "command", scope: "src/**" },
    },
    { ...item, wseq: 3, kind: "memory_proposal", text: `Sign in with ${key}` },
    { ...item, wseq: 4, kind: "memory_proposal", text: "run  NPM ci first." },
  ];
  for (const upto of [4, 4]) {
    worker.say({ t: "events", run_id, epoch, items });
    assert.equal((await worker.next("events_ack")).upto, upto);
  }
  const { usage } = (await fixture.ask(token, "GET", `/api/runs/${run_id}`)).body as unknown as { usage: object };
  const { cost_source, ...figures } = used;
  assert.deepEqual(usage, { ...figures, cost_source, by_role: { coder: figures } });
  const memories = (await fixture.ask(token, "GET", `/api/repos/${repo.id}/memories`)).body["items"];
  assert.deepEqual(
    (memories as Record<string, string>[])
      .map(({ text, status, source, kind, scope }) => [text, status, source, kind, scope])
      .toSorted((left, other) => String(left).localeCompare(String(other))),
    [
      ["Run npm ci first.", "pending", "agent", "command", "src/**"],
      ["Sign in with [redacted:license_key]", "pending", "agent", "convention", null],
    ],
  );
});

test("leases a run to a connected worker, whose frames move it to pushing", async () => {
  await using fixture = await createChannelFixture();
  const { access_token: token, account_id: owner, license_key: key } = await fixture.make("pro");
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  await fixture.ask(token, "POST", `/api/repos/${repo.id}/memories`, { text: "Use tabs." });
  const worker = await fixture.join(key);
  const made = await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {});
  assert.deepEqual([made.status, made.body["warnings"]], [202, []]);

  const assign = await worker.next("assign");
  assert.deepEqual([assign.run_id, assign.epoch, assign.prompt.memories], [made.body.id, 1, ["Use tabs."]]);
  assert.deepEqual(assign.clone, {
    url: `${fixture.url}/api/worker/runs/${made.body.id}/git`,
    branch: null,
    sha: null,
  });
  assert.deepEqual([assign.prices, assign.usd_eur], [PRICES, 0.9]);
  assert.deepEqual([assign.author, assign.title], [{ name: "Acme Bot", email: "bot@acme.example" }, null]);
  const scope = fixture.runTokens.read(assign.run_token, fixture.clock.now());
  assert.deepEqual(scope, { owner, runId: made.body.id, epoch: 1 });

  const lease = { run_id: assign.run_id, epoch: assign.epoch };
  worker.say({ t: "ack", cid: assign.cid });
  worker.say({ t: "accept", ...lease });
  const report = async (mid: string, state: string, data: object) => {
    worker.say({ t: "state", mid, ...lease, state, data });
    const ack = await worker.next("state_ack");
    return `${ack.mid} ${ack.result}`;
  };
  const base = { branch: "main", sha: SHA };
  assert.equal(await report("m1", "running", { base, baseline: GREEN.baseline }), "m1 ok");
  const item = { at: "2026-11-22T10:00:00.000Z", from: { role: "coder" }, kind: "message", text: "a - b is wrong" };
  worker.say({ t: "events", ...lease, items: [{ ...item, wseq: 1, data: {}, round: 1 }] });
  assert.equal((await worker.next("events_ack")).upto, 1);
  assert.equal(await report("m2", "verifying", { changed_files: 1, insertions: 1, deletions: 1 }), "m2 ok");
  fixture.bundles.set(assign.run_id, 1, SHA);
  assert.equal(await report("m3", "pushing", { verify: GREEN, head_sha: SHA, approved: null }), "m3 ok");
  assert.equal(await report("m3", "pushing", { verify: GREEN, head_sha: SHA, approved: null }), "m3 duplicate");

  const run = await fixture.store.of(owner).runs.find(assign.run_id);
  assert.deepEqual([run?.state, run?.leaseUntil, run?.attempt], ["pushing", null, 1]);
  const green = { exit_code: 0, duration_ms: 7 };
  const verify = { ...GREEN, attempts: [{ n: 1, ...green, verify: green, gate: null }] };
  assert.deepEqual([run?.facts.base, run?.facts.headSha, run?.facts.verify], [base, SHA, verify]);
  assert.deepEqual([fixture.bundles.judged, fixture.errors], [[assign.run_id], []]);
  const chunks = await fixture.store.of(owner).bus.read(assign.run_id, { after: 0, limit: 99 });
  assert.deepEqual(
    chunks
      .flatMap((chunk) => [...numbered(assign.run_id, chunk, { after: 0, filter: {} })])
      .map((line) => `${line.seq} ${messageOf(line).text}`),
    [
      "1 queued",
      "2 queued → leased",
      "3 leased → preparing",
      "4 preparing → running",
      "5 a - b is wrong",
      "6 running → verifying",
      "7 verifying → pushing",
    ],
  );
});

test("returns the baselines of verify command and gate separately in GET /api/runs/{id}", async () => {
  await using fixture = await createChannelFixture();
  const { access_token: token, license_key: key } = await fixture.make("pro");
  const repo = (await fixture.ask(token, "POST", "/api/repos", { ...REPO, verify_cmd: "npm test" })).body;
  const worker = await fixture.join(key);
  const gate = { cmd: "node gate.mjs", expect: "exit_zero", baseline: "must_fail" };
  const made = await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, { gate });
  const { run_id, epoch } = await worker.next("assign");
  worker.say({ t: "accept", run_id, epoch });
  const red = { exit_code: 1, duration_ms: 5 };
  const green = { exit_code: 0, duration_ms: 6 };
  const baseline = { ...red, cached: false };
  const checks = { baseline: { verify: green, gate: red, cached: false }, attempts: [] };
  const base = { branch: "main", sha: SHA };
  const readVerify = async (mid: string, data: object) => {
    worker.say({ t: "state", mid, run_id, epoch, state: "running", data });
    assert.equal((await worker.next("state_ack")).result, "ok");
    return (await fixture.ask(token, "GET", `/api/runs/${made.body.id}`)).body["verify"];
  };
  assert.deepEqual(await readVerify("m1", { base, baseline, checks }), {
    baseline: { ...green, cached: false },
    attempts: [],
    gate: { cmd: gate.cmd, baseline: red, result: null, exit_code: null, duration_ms: 0 },
    verdict: null,
  });
  worker.say({ t: "state", mid: "m2", run_id, epoch, state: "verifying", data: SIZE });
  assert.equal((await worker.next("state_ack")).result, "ok");
  const report = { baseline, attempts: [{ n: 1, ...red }], gate: red, verdict: "failed" };
  const parts = { ...checks, attempts: [{ verify: green, gate: red }] };
  assert.deepEqual(await readVerify("m3", { verify: report, checks: parts }), {
    baseline: { ...green, cached: false },
    attempts: [{ n: 1, ...red, verify: green, gate: red }],
    gate: { cmd: gate.cmd, baseline: red, result: red, ...red },
    verdict: "failed",
  });
});

test("reports what was checked, skipped and dropped in an explore run without findings", async () => {
  await using fixture = await createChannelFixture();
  const { access_token: token, license_key: key } = await fixture.make("pro");
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  const worker = await fixture.join(key);
  const made = await fixture.ask(token, "POST", `/api/repos/${repo.id}/explore`, {});
  assert.equal(made.status, 202);
  const { run_id, epoch, deps } = await worker.next("assign");
  assert.deepEqual(deps, { min_release_age_days: 7, group: "minor" });
  worker.say({ t: "accept", run_id, epoch });
  const report = async (mid: string, state: string, data: object) => {
    worker.say({ t: "state", mid, run_id, epoch, state, data });
    assert.equal((await worker.next("state_ack")).result, "ok");
  };
  const base = { branch: "main", sha: SHA };
  await report("m1", "running", { base, baseline: null });
  await report("m2", "verifying", { changed_files: 0, insertions: 0, deletions: 0 });
  const checks = [
    { name: "todo", skipped: null },
    { name: "deps_outdated", skipped: `no registry at ${key}` },
  ];
  const green = proposal(1, { gate_proof: { exit_code: 0, duration_ms: 1, output: "" } });
  await report("m3", "succeeded", { candidates: [green], scan: { checks, unproved: 2 } });
  const { state, result, explore } = (await fixture.ask(token, "GET", `/api/runs/${run_id}`)).body as unknown as Pick<
    Run,
    "state" | "result" | "explore"
  >;
  assert.deepEqual([state, result?.code], ["succeeded", "ok"]);
  assert.equal(
    result?.message,
    "No new candidates. 1 dropped: the gate already passes. 2 dropped: the gate could not run. " +
      "1 check run, 1 skipped. Skipped deps_outdated: no registry at [redacted:license_key].",
  );
  assert.deepEqual(explore, {
    checks_run: ["todo"],
    checks_skipped: [{ check: "deps_outdated", reason: "no registry at [redacted:license_key]" }],
    proposed: 0,
    confirmed: 0,
    fixed: 0,
    suppressed: 0,
    dropped_green: 1,
    unproved: 2,
    refused: 0,
  });
});

const SIZE = { changed_files: 1, insertions: 1, deletions: 1 };
