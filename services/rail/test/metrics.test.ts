import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Registry } from "prom-client";
import { createRailMetrics } from "../src/metrics.ts";
import { createRailFixture } from "./support/create-rail-fixture.ts";

test("the ledger's metrics report queue sizes and ages, and that all accounts add up to zero", async () => {
  await using fixture = await createRailFixture({ mode: "live" });
  const { token } = await fixture.openWallet();
  const quiet = {
    unacknowledged: 0,
    oldestUnacknowledgedMs: 0,
    liveGateways: 0,
    lapsedLeaseMs: 0,
    overdueCheckMs: 0,
    sumMicro: 0,
  };
  assert.deepEqual(await fixture.ledger.figures(fixture.now()), quiet);
  await fixture.hello();
  await fixture.batch({ charges: [fixture.charge(token), fixture.charge(token)] });
  fixture.pass(31_000);
  assert.deepEqual(await fixture.ledger.figures(fixture.now()), {
    ...quiet,
    unacknowledged: 2,
    oldestUnacknowledgedMs: 31_000,
    liveGateways: 1,
    lapsedLeaseMs: 1000,
  });
  await fixture.sweep();
  assert.deepEqual(await fixture.ledger.figures(fixture.now()), quiet);
  const { id } = await fixture.openWallet("b@example.org");
  await fixture.database.db.updateTable("wallet").set({ paid_micro: 3 }).where("id", "=", id).execute();
  assert.equal((await fixture.ledger.figures(fixture.now())).sumMicro, 3);
});

test("every metric of the alert rules exists", async () => {
  const registry = new Registry();
  createRailMetrics().showIn(registry);
  const rules = await readFile(new URL("../../../deploy/prometheus/alerts/rail.yml", import.meta.url), "utf8");
  const names = new Set([...rules.matchAll(/\brail_\w+/g)].map(([name]) => name.replace(/_bucket$/, "")));
  assert.ok(names.size > 6);
  for (const name of names) assert.ok(registry.getSingleMetric(name), name);
});
