import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, openFixture } from "./support/create-test-panel.ts";
import { HELLO, openWorkerSocket } from "./support/worker-socket.ts";

/** Allowed label names; their values are closed lists. */
const LABELS =
  "cause code from health kind le method phase provider result route service state status to type version".split(" ");
/** All metrics of section 21. */
const METRICS = [
  ..."http_request_seconds runs run_transitions_total run_seconds assign_seconds queue_oldest_seconds".split(" "),
  ..."leases_lost_total workers outbox_full_total bus_events_total sse_readers effects".split(" "),
  ..."effect_attempts_total forge_requests_total redactions_total schedule_fires_total".split(" "),
  ..."broadcast_notified_total store_commit_seconds".split(" "),
].map((name) => `panel_${name}`);
const OF_THE_PROCESS = /^(?:process|nodejs)_/;

test("exposes the metrics of a working panel, without account, repo, run, worker or person", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start();
  const { access_token: token, license_key: key } = (await fixture.credentials()).pro;
  const [repo] = (await ask(url, "/api/repos", { token })).body.items;
  const team = { members: [{ role: "coder", cli: "command", command: ["true"] }] };
  const run = await ask(url, `/api/repos/${repo.id}/run`, { token, method: "POST", body: { team } });
  const worker = await openWorkerSocket(url, key);
  const agents = [{ cli: "command", version: "1", adapter: "command", models: [] }];
  worker.say({ ...HELLO, agents, isolation: "worktree" });
  const { run_id, epoch, cid } = await worker.next("assign");
  assert.equal(run_id, run.body.id);
  worker.say({ t: "ack", cid });
  worker.say({ t: "accept", run_id, epoch });
  const item = { wseq: 1, at: "2026-11-22T10:00:00Z", from: { role: "coder" }, kind: "log", text: "", data: {} };
  worker.say({ t: "events", run_id, epoch, items: [item] });
  await worker.next("events_ack");
  await ask(url, `/api/runs/${run_id}?x=${token}`, { token });

  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^panel_workers\{[^}]*\} 1$/m);
  assert.match(metrics, /^panel_bus_events_total\{[^}]*\} [1-9]/m);
  assert.doesNotMatch(metrics, /^panel_.* -\d/m);
  for (const name of METRICS) assert.match(metrics, new RegExp(`^# TYPE ${name} `, "m"));
  assert.match(metrics, /^panel_http_request_seconds_count\{[^}]*route="\/api\/runs\/:id"[^}]*status="400"[^}]*\} 1$/m);
  assert.match(metrics, /^panel_store_commit_seconds_count\{[^}]*\} [1-9]/m);
  for (const label of [repo.id, repo.name, run_id, token, key, "owner@example.test", "wrk_", "acc_"])
    assert.ok(!metrics.includes(label), label);
  assert.doesNotMatch(metrics, /\b[a-z]{3}_[0-9a-z]{26}\b/);
  const named = metrics
    .split("\n")
    .filter((line) => !line.startsWith("#") && !OF_THE_PROCESS.test(line))
    .flatMap((line) => Array.from(line.matchAll(/[{,](\w+)="/g), ([, label = ""]) => label));
  assert.deepEqual(
    [...new Set(named)].filter((label) => !LABELS.includes(label)),
    [],
  );
  worker.socket.terminate();
  await worker.closed;
});
