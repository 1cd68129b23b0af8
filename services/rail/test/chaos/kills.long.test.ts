import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { runCampaign, type CampaignOptions } from "../../chaos/campaign.ts";
import { openProxies, type ProxiesOptions } from "../../chaos/open-proxies.ts";

/** Few, because each kill and each standby starts a process; `npm run chaos:rail` kills more often. */
const KILLS = 30;
const POSTGRES_KILLS = 10;
const timeout = 600_000;
const SEED = 20_261_122;

/** In CI a missing server is a failure, so the suite runs, and its first start reports the reason. */
const skip = withoutPostgres();

async function campaign({ proxies = 2, fault = null, ...more }: Partial<CampaignOptions & ProxiesOptions>) {
  return await runCampaign({
    seed: SEED,
    kills: 6,
    callers: 8,
    standby: true,
    openFront: openProxies({ proxies, fault }),
    ...more,
  });
}

/** The distinct invariants that were violated. */
function broken({ violations }: Awaited<ReturnType<typeof runCampaign>>): string[] {
  return [...new Set(violations.map(({ law }) => law))].sort();
}

test(
  `${KILLS} kill -9 of rail and gateways under load: L1 to L9 and L11 hold after each round`,
  { timeout },
  async () => {
    const { tally, violations } = await campaign({ kills: KILLS, proxies: 5 });
    assert.deepEqual(violations, []);
    assert.equal(tally.kills, KILLS);
    for (const victim of ["rail", "gateway"]) assert.ok((tally.killsOf.get(victim) ?? 0) > 0, victim);
    assert.ok(tally.billed > KILLS && (tally.voided.get("fenced") ?? 0) > 0, "kills have struck charges under way");
    assert.ok((tally.tries.get("403") ?? 0) > 0, "caps were reached");
    assert.equal(tally.restarts.get("rail")?.length, tally.killsOf.get("rail"));
  },
);

describe("on PostgreSQL", { skip }, () => {
  test(`${POSTGRES_KILLS} kill -9 of rail and gateways under load violate no invariant`, { timeout }, async () => {
    const databaseUrl = await (await startPostgres({ durable: false })).createDatabase();
    const { tally, violations } = await campaign({ kills: POSTGRES_KILLS, databaseUrl });
    assert.deepEqual([tally.kills, violations], [POSTGRES_KILLS, []]);
  });
});

test("detects a gateway that acknowledges before its response is sent: billed and not delivered", async () => {
  assert.ok(broken(await campaign({ kills: 40, proxies: 1, fault: "acknowledges-early" })).includes("L6"));
});

test("detects a gateway that responds before the charge: responses without a receipt", async () => {
  assert.ok(broken(await campaign({ proxies: 1, fault: "answers-first" })).includes("L9"));
});

test("detects a gateway that delivers although a cap refused the charge: responses without a receipt", async () => {
  assert.ok(broken(await campaign({ proxies: 1, fault: "ignores-caps", totalCapMicro: 1000 })).includes("L9"));
});

test("detects a gateway that reuses its old boot after a kill: refused attempts, or receipts of other calls", async () => {
  const laws = broken(await campaign({ kills: 20, proxies: 1, fault: "forgets-its-death" }));
  assert.ok(
    ["replies", "receipts", "rest"].some((law) => laws.includes(law)),
    laws.join(),
  );
});
