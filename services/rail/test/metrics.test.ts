import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Registry } from "prom-client";
import { createRailMetrics } from "../src/metrics.ts";
import { openRailScene } from "./support/create-rail-fixture.ts";

test("the ledger's figures tell what waits and for how long, and that all accounts add up to zero", async () => {
  await using scene = await openRailScene({ mode: "live" });
  const { token } = await scene.openWallet();
  const quiet = {
    unacknowledged: 0,
    oldestUnacknowledgedMs: 0,
    liveGateways: 0,
    lapsedLeaseMs: 0,
    overdueCheckMs: 0,
    sumMicro: 0,
  };
  assert.deepEqual(await scene.ledger.figures(scene.now()), quiet);
  await scene.hello();
  await scene.batch({ charges: [scene.charge(token), scene.charge(token)] });
  scene.pass(31_000);
  assert.deepEqual(await scene.ledger.figures(scene.now()), {
    ...quiet,
    unacknowledged: 2,
    oldestUnacknowledgedMs: 31_000,
    liveGateways: 1,
    lapsedLeaseMs: 1000,
  });
  await scene.sweep();
  assert.deepEqual(await scene.ledger.figures(scene.now()), quiet);
  const { id } = await scene.openWallet("b@example.org");
  await scene.database.db.updateTable("wallet").set({ paid_micro: 3 }).where("id", "=", id).execute();
  assert.equal((await scene.ledger.figures(scene.now())).sumMicro, 3);
});

test("every metric that an alert rule asks for is there", async () => {
  const registry = new Registry();
  createRailMetrics().showIn(registry);
  const rules = await readFile(new URL("../alerts.yml", import.meta.url), "utf8");
  const names = new Set([...rules.matchAll(/\brail_\w+/g)].map(([name]) => name.replace(/_bucket$/, "")));
  assert.ok(names.size > 6);
  for (const name of names) assert.ok(registry.getSingleMetric(name), name);
});
