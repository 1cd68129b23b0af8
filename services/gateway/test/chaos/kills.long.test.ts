import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runCampaign, type CampaignOptions } from "@triptych/rail/chaos";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { openGateways, type GatewaysOptions } from "../../chaos/open-gateways.ts";

/** Each kill restarts a process; `npm run chaos:gateway` has more of them. */
const KILLS = 36;
const OF_EACH = 2;
const timeout = 600_000;
const SEED = 20_261_123;

/** In CI, a missing server is a failure: the suite runs, and its first start reports the reason. */
const skip = withoutPostgres();

async function campaign({
  gateways = 2,
  routers = 1,
  fault = null,
  ...more
}: Partial<CampaignOptions & GatewaysOptions>) {
  const openFront = openGateways({ gateways, routers, fault });
  return await runCampaign({ seed: SEED, kills: 10, callers: 8, auditEvery: 5, standby: true, openFront, ...more });
}

/** Distinct violated invariants. */
function broken({ violations }: Awaited<ReturnType<typeof runCampaign>>): string[] {
  return [...new Set(violations.map(({ law }) => law))].sort();
}

test(
  `after ${KILLS} kill -9 of two gateways, their router and the rail under load, no charge is doubled or lost, no decision is free, and every receipt is valid`,
  { timeout },
  async () => {
    const { tally, violations } = await campaign({ kills: KILLS });
    assert.deepEqual(violations, []);
    assert.equal(tally.kills, KILLS);
    for (const kind of ["rail", "router", "gateway"] as const)
      assert.ok((tally.killsOf.get(kind) ?? 0) >= OF_EACH, kind);
    assert.ok(tally.billed > KILLS && (tally.voided.get("fenced") ?? 0) > 0, "kills hit charges in progress");
    assert.ok((tally.tries.get("200 again") ?? 0) > 0, "clients retried calls");
  },
);

test("one gateway in front of two routers", { timeout }, async () => {
  const { tally, violations } = await campaign({ gateways: 1, routers: 2 });
  assert.deepEqual([tally.kills, violations], [10, []]);
});

describe("on PostgreSQL", { skip }, () => {
  test("kill -9 of gateways, router and rail violates no invariant", { timeout }, async () => {
    const databaseUrl = await (await startPostgres({ durable: false })).createDatabase();
    const { tally, violations } = await campaign({ databaseUrl });
    assert.deepEqual([tally.kills, violations], [10, []]);
  });
});

test("detects a gateway that acknowledges before it sends its response: billed but not delivered", async () => {
  assert.ok(broken(await campaign({ kills: 40, gateways: 1, fault: "acknowledges-early" })).includes("L6"));
});

test("detects a gateway that responds before the charge: invalid receipts", async () => {
  assert.ok(broken(await campaign({ gateways: 1, fault: "answers-first" })).includes("receipts"));
});

test("detects a gateway that delivers although a cap rejected the charge: receipts of other calls", async () => {
  assert.ok(broken(await campaign({ gateways: 1, fault: "ignores-caps", totalCapMicro: 1000 })).includes("receipts"));
});

test("detects a gateway that reuses its old boot ID after a kill: rejected attempts, or receipts of other calls", async () => {
  const laws = broken(await campaign({ gateways: 1, fault: "forgets-its-death" }));
  assert.ok(
    ["replies", "receipts", "rest"].some((law) => laws.includes(law)),
    laws.join(),
  );
});
