import assert from "node:assert/strict";
import { test } from "node:test";
import { createTriptych } from "@triptych/client";
import { createRedactor } from "@triptych/redaction";
import { EVENT_TYPES } from "../src/event.ts";
import { createPanelReader } from "../src/panel-reader.ts";
import { storeTargets } from "../src/store.ts";
import { exampleCandidate, exampleRun, exampleWorker, runTimes, startFakePanel } from "./support/fake-panel.ts";
import { openOutbox, recordingTarget, ruleTo } from "./support/outbox.ts";

const START = Date.parse("2026-11-26T08:00:00Z");
const MINUTE = 60_000;

async function openReader({ since = null as number | null, secret = "unused-secret" } = {}) {
  await using stack = new AsyncDisposableStack();
  const panel = stack.use(await startFakePanel());
  const { database } = stack.use(await openOutbox());
  const clock = { now: START };
  const { target } = recordingTarget("target-1");
  await storeTargets(database, [target]);
  const create = (startSince = since) =>
    createPanelReader({
      panel: createTriptych({ panel: { url: panel.url, token: panel.token } }).panel,
      database,
      rules: { rules: [ruleTo(target, EVENT_TYPES)] },
      log: () => {},
      now: () => clock.now,
      since: startSince,
      redactor: createRedactor(new Map([["panel_access_token", secret]])),
    });
  const resources = stack.move();
  return {
    panel,
    database,
    clock,
    create,
    reader: create(),
    async types() {
      const rows = await database.db
        .selectFrom("message")
        .innerJoin("event", "event.id", "event_id")
        .select("type")
        .execute();
      return rows.map(({ type }) => type);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const active = (id: string, queuedAt: number) =>
  exampleRun({ id, state: "running", phase: "active", pr: null, times: runTimes(queuedAt) });
const failed = (id: string, queuedAt: number, endedAt: number) =>
  exampleRun({ id, state: "failed", phase: "failure", pr: null, times: runTimes(queuedAt, endedAt) });

test("the first start does not report earlier events", async () => {
  await using run = await openReader();
  run.panel.runs.set("run_1", failed("run_1", START - MINUTE, START - 1));
  await run.reader.scan();
  await run.reader.readRun("run_1");
  assert.deepEqual(await run.types(), []);
});

test("with `since`, the first start reports events from that time", async () => {
  await using run = await openReader({ since: START - MINUTE });
  run.panel.runs.set("run_1", failed("run_1", START - MINUTE, START - 1));
  run.panel.runs.set("run_2", failed("run_2", START - 3 * MINUTE, START - 2 * MINUTE));
  await run.reader.scan();
  assert.deepEqual(await run.types(), ["run.failed"]);
});

test("a run that was open at the first start is reported when it ends, without a notification", async () => {
  await using run = await openReader();
  run.panel.runs.set("run_1", active("run_1", START - 90 * MINUTE));
  await run.reader.scan();
  run.panel.runs.set("run_1", failed("run_1", START - 90 * MINUTE, START + MINUTE));
  run.clock.now = START + 60 * MINUTE;
  await run.create().scan();
  assert.deepEqual(await run.types(), ["run.failed"]);
});

test("a run that began and ended while the notifier was stopped is reported once", async () => {
  await using run = await openReader();
  await run.reader.scan();
  for (let at = 0; at < 250; at++)
    run.panel.runs.set(`run_${at}`, failed(`run_${at}`, START + at, START + at + MINUTE));
  run.clock.now = START + 10 * MINUTE;
  await run.create().scan();
  await run.create().scan();
  assert.equal((await run.types()).length, 250);
});

test("a pull request that is merged later is not reported again", async () => {
  await using run = await openReader();
  await run.reader.scan();
  const opened = exampleRun({ id: "run_1", times: runTimes(START, START + 1) });
  run.panel.runs.set("run_1", opened);
  await run.reader.readRun("run_1");
  run.panel.runs.set("run_1", { ...opened, pr: opened.pr && { ...opened.pr, state: "merged" } });
  await run.reader.readRun("run_1");
  assert.deepEqual(await run.types(), ["run.pr_opened"]);
});

test("a pushed run needs attention after two minutes without a pull request", async () => {
  await using run = await openReader();
  await run.reader.scan();
  const pushed = exampleRun({ state: "pushed", phase: "attention", pr: null, times: runTimes(START, START) });
  run.panel.runs.set(pushed.id, pushed);
  await run.reader.scan();
  assert.deepEqual(await run.types(), []);
  run.clock.now += 2 * MINUTE;
  await run.reader.scan();
  assert.deepEqual(await run.types(), ["run.attention"]);
});

test("candidates are reported when their explore run ends, each once", async () => {
  await using run = await openReader();
  await run.reader.scan();
  const explore = { proposed: 2, checks_run: [], checks_skipped: [], confirmed: 0, fixed: 0, suppressed: 0 };
  const rest = { dropped_green: 0, unproved: 0, refused: 0 };
  const ended = exampleRun({
    kind: "explore",
    state: "succeeded",
    phase: "success",
    pr: null,
    explore: { ...explore, ...rest },
    times: runTimes(START, START + 1),
  });
  const created_at = new Date(START + 1).toISOString();
  run.panel.candidates.push(exampleCandidate({ created_at }), exampleCandidate({ id: "cnd_2", created_at }));
  run.panel.runs.set(ended.id, ended);
  await run.reader.readRun(ended.id);
  await run.reader.scan();
  assert.deepEqual(await run.types(), ["candidate.proposed", "candidate.proposed"]);
});

test("a worker is reported once per disconnection, after a minute", async () => {
  await using run = await openReader();
  await run.reader.scan();
  const offlineSince = (ms: number) =>
    exampleWorker({ health: "offline", connected: false, last_seen_at: new Date(ms).toISOString() });
  run.panel.workers.push(offlineSince(START));
  await run.reader.readWorkers();
  assert.deepEqual(await run.types(), []);
  run.clock.now += MINUTE;
  for (const _ of [1, 2]) await run.reader.readWorkers();
  assert.deepEqual(await run.types(), ["worker.offline"]);
  run.panel.workers[0] = offlineSince(START + MINUTE);
  run.clock.now += MINUTE;
  await run.reader.readWorkers();
  assert.deepEqual(await run.types(), ["worker.offline", "worker.offline"]);
});

test("a quota is reported once per period, when 80 % is used", async () => {
  await using run = await openReader();
  const { usage, plan } = run.panel.account;
  usage.runs = 0.8 * plan.limits.runs_per_month - 1;
  await run.reader.scan();
  assert.deepEqual(await run.types(), []);
  usage.runs += 1;
  for (const _ of [1, 2]) await run.reader.scan();
  assert.deepEqual(await run.types(), ["quota.near"]);
  usage.period_start = "2026-12-01T00:00:00.000Z";
  await run.reader.scan();
  assert.deepEqual(await run.types(), ["quota.near", "quota.near"]);
});

test("the outbox of another account is rejected", async () => {
  await using run = await openReader();
  await run.reader.scan();
  run.panel.account.id = "acc_other";
  await assert.rejects(run.create().scan(), /belongs to account acc_0/);
});

test("redacts the access token in every text of an event", async () => {
  await using run = await openReader({ secret: "pnl_a-very-secret-token" });
  await run.reader.scan();
  const message = "rejected pnl_a-very-secret-token";
  const result = { code: "internal" as const, message, retryable: true };
  run.panel.runs.set("run_1", { ...failed("run_1", START, START + 1), result });
  await run.reader.readRun("run_1");
  const [{ body }] = await run.database.db.selectFrom("event").select("body").execute();
  assert.ok(!body.includes("very-secret"), body);
  assert.match(body, /redacted:panel_access_token/);
});
