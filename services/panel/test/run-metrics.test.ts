import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "@triptych/storage";
import { Registry } from "prom-client";
import { createRun, transitionRun, type Step } from "../src/domain/create-run.ts";
import type { RunEvent } from "../src/domain/run-states.ts";
import { createRunMetrics } from "../src/compose/run-metrics.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, storeOn } from "../src/store/open-store.ts";
import type { PanelTables } from "../src/store/tables.ts";
import { accountRecord, newAccount, repoRecord } from "./support/records.ts";

const ACCOUNT = accountRecord("acc_a");
const REPO = repoRecord({ provider: "git" });
const LEASE = { epoch: 1, attempt: 1, workerId: "wrk_1", leaseUntil: 99 };
const TO_PUSHED: readonly (readonly [RunEvent, Partial<Step>])[] = [
  ["leased", LEASE],
  ["accepted", {}],
  ["ready", {}],
  ["agent_ended", {}],
  ["passed", {}],
  ["push_confirmed", {}],
];

test("counts active runs and transitions, and measures run durations", async () => {
  const location = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  await using database = await openDatabase<PanelTables>(location);
  const store = storeOn(database);
  const registry = new Registry();
  createRunMetrics(store).showIn(registry);
  await store.system.createAccount(newAccount(ACCOUNT));
  const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
  const make = (id: string) =>
    store.change("acc_a", (repositories) =>
      createRun(repositories, { ...input, focus: id }, { account: ACCOUNT, repo: REPO, id, now: 0, hasWorkers: true }),
    );
  await store.change("acc_a", ({ repos }) => repos.add(REPO));
  await make("run_waits");
  let run = await make("run_pushed");
  for (const [event, step] of TO_PUSHED)
    run = await store.change("acc_a", (repositories) =>
      transitionRun(repositories, run, event, { at: 4_000, ...step }),
    );
  // It rests at its goal, which is its end.
  assert.deepEqual(run.result, { code: "ok", message: "" });
  await assert.rejects(
    store.change("acc_a", (repositories) => transitionRun(repositories, run, "leased", { at: 5_000 })),
  );

  const text = await registry.metrics();
  for (const line of [
    'panel_runs{state="queued"} 1',
    'panel_runs{state="pushed"} 1',
    'panel_runs{state="running"} 0',
    'panel_run_transitions_total{from="none",to="queued"} 2',
    'panel_run_transitions_total{from="pushing",to="pushed"} 1',
    'panel_run_seconds_bucket{le="5",phase="success"} 1',
    'panel_run_seconds_sum{phase="success"} 4',
  ])
    assert.ok(text.includes(line), line);
  assert.ok(!text.includes("run_pushed"));
});
