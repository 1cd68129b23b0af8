import assert from "node:assert/strict";
import { test } from "node:test";
import { call, charged, during, isCharged, createFixture } from "./scripted-rail.ts";

const NOTHING_LEFT = { balanceMicro: null, spendableMicro: null, reached: null };

test("a second call with the same key waits for the first, and gets its response after delivery", async () => {
  const { billing, batches, pass } = await createFixture();
  const keyed = call({ key: "k", sealed: "sealed-1" });
  const first = isCharged(await during(billing.charge(keyed), () => pass(1)));
  const second = billing.charge(keyed);
  await pass(100);
  first.delivered();
  const replay = await second;
  assert.ok(replay.kind === "replayed");
  assert.deepEqual([replay.chargeId, replay.receipt, replay.sealed], [first.chargeId, first.receipt, "sealed-1"]);
  assert.equal(batches.flatMap(({ charges = [] }) => charges).length, 1);
});

test("a second call with the same key runs if the first fails, or times out after 2 s", async () => {
  const { billing, pass } = await createFixture();
  const keyed = call({ key: "k" });
  const first = isCharged(await during(billing.charge(keyed), () => pass(1)));
  const [second, third] = [billing.charge(keyed), billing.charge(keyed)];
  await pass(1000);
  first.aborted("client_gone");
  await pass(1);
  assert.notEqual(isCharged(await second).chargeId, first.chargeId);
  await pass(1000);
  assert.deepEqual(await third, { kind: "refused", status: 409, code: "idempotency_in_progress", ...NOTHING_LEFT });
});

test("rejects a key reused with another request; another wallet or operation is another key", async () => {
  const { billing, pass } = await createFixture();
  const keyed = call({ key: "k" });
  isCharged(await during(billing.charge(keyed), () => pass(1)));
  const other = await billing.charge({ ...keyed, req: "x".repeat(43) });
  assert.deepEqual(other, { kind: "refused", status: 422, code: "idempotency_key_reused", ...NOTHING_LEFT });
  isCharged(await during(billing.charge({ ...keyed, op: "score" }), () => pass(1)));
  isCharged(await during(billing.charge({ ...keyed, walletHash: "b".repeat(64) }), () => pass(1)));
});

test("replays a key delivered elsewhere with its sealed response", async () => {
  const { billing, next, pass } = await createFixture();
  next.charge.push((batch) => charged(batch).map((result) => ({ ...result, status: 200, response: "sealed-0" })));
  const replay = await during(billing.charge(call({ key: "k" })), () => pass(1));
  assert.ok(replay.kind === "replayed");
  assert.equal(replay.sealed, "sealed-0");
});

test("sends a sealed response only with a key, and only within the size limit of the rail", async () => {
  const { billing, batches, pass } = await createFixture();
  await during(billing.charge(call({ sealed: "s" })), () => pass(1));
  await during(billing.charge(call({ key: "k1", sealed: "s" })), () => pass(1));
  await during(billing.charge(call({ key: "k2", sealed: "s".repeat(22_001) })), () => pass(1));
  assert.deepEqual(
    batches.flatMap(({ charges = [] }) => charges.map(({ key, response }) => [key, response])),
    [
      [undefined, undefined],
      ["k1", "s"],
      ["k2", undefined],
    ],
  );
});
