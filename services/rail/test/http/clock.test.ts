import assert from "node:assert/strict";
import { test } from "node:test";
import { createRailFixture } from "../support/create-rail-fixture.ts";

const DAY_MS = 86_400_000;
const BY = { operator: "grace", reason: "compared with two time servers" };

test("deep readiness and the operator endpoint report a clock jump until an operator confirms the clock", async () => {
  await using fixture = await createRailFixture({ monotonic: () => 0 });
  const { token } = await fixture.openWallet();
  const trusted = (await fixture.asOperator("/v1/admin/clock")).json();
  assert.deepEqual([trusted.state, trusted.expiry_suspended], ["trusted", false]);
  await fixture.hello();
  const before = fixture.now();
  fixture.pass(100 * DAY_MS);

  const deep = await fixture.ask("/readyz?deep=1");
  assert.equal(deep.statusCode, 503);
  assert.match(deep.json().detail, /^clock jumped by 100 d; expiry suspended until confirmed/);
  assert.equal((await fixture.ask("/readyz")).statusCode, 200);
  assert.deepEqual((await fixture.asOperator("/v1/admin/clock")).json(), {
    state: "ahead",
    expiry_suspended: true,
    clock_at: new Date(fixture.now()).toISOString(),
    ledger_at: new Date(before).toISOString(),
  });
  assert.equal((await fixture.batch({ charges: [fixture.charge(token)] })).json().results[0].status, 201);
  assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().promo_micro, 99_500);

  const faults = await fixture.asOperator("/v1/admin/clock/confirm", { body: { operator: "grace" } });
  assert.equal(faults.statusCode, 400);
  assert.equal((await fixture.ask("/v1/admin/clock/confirm", { body: BY })).statusCode, 401);
  const confirmed = await fixture.asOperator("/v1/admin/clock/confirm", { body: BY });
  assert.deepEqual([confirmed.statusCode, confirmed.json().state], [200, "trusted"]);
  assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().promo_micro, 0);
  assert.equal((await fixture.ask("/readyz?deep=1")).statusCode, 200);
});
