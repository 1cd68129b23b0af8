import assert from "node:assert/strict";
import { test } from "node:test";
import { openRailScene } from "../support/create-rail-fixture.ts";

const DAY_MS = 86_400_000;
const BY = { operator: "grace", reason: "compared with two time servers" };

test("a jump is shown by the deep readiness and the operator's endpoint until an operator confirms the clock", async () => {
  await using scene = await openRailScene({ monotonic: () => 0 });
  const { token } = await scene.openWallet();
  const trusted = (await scene.asOperator("/v1/admin/clock")).json();
  assert.deepEqual([trusted.state, trusted.expiry_suspended], ["trusted", false]);
  await scene.hello();
  const before = scene.now();
  scene.pass(100 * DAY_MS);

  const deep = await scene.ask("/readyz?deep=1");
  assert.equal(deep.statusCode, 503);
  assert.match(deep.json().detail, /^clock jumped by 100 d; expiry suspended until confirmed/);
  assert.equal((await scene.ask("/readyz")).statusCode, 200);
  assert.deepEqual((await scene.asOperator("/v1/admin/clock")).json(), {
    state: "ahead",
    expiry_suspended: true,
    clock_at: new Date(scene.now()).toISOString(),
    ledger_at: new Date(before).toISOString(),
  });
  assert.equal((await scene.batch({ charges: [scene.charge(token)] })).json().results[0].status, 201);
  assert.equal((await scene.ask("/v1/wallets/me", { token })).json().promo_micro, 99_500);

  const faults = await scene.asOperator("/v1/admin/clock/confirm", { body: { operator: "grace" } });
  assert.equal(faults.statusCode, 400);
  assert.equal((await scene.ask("/v1/admin/clock/confirm", { body: BY })).statusCode, 401);
  const confirmed = await scene.asOperator("/v1/admin/clock/confirm", { body: BY });
  assert.deepEqual([confirmed.statusCode, confirmed.json().state], [200, "trusted"]);
  assert.equal((await scene.ask("/v1/wallets/me", { token })).json().promo_micro, 0);
  assert.equal((await scene.ask("/readyz?deep=1")).statusCode, 200);
});
