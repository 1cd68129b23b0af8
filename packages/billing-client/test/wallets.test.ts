import assert from "node:assert/strict";
import { test } from "node:test";
import { call, charged, during, isCharged, createFixture, unreachable, WALLET } from "./scripted-rail.ts";

test("caches an allowed wallet for a second, but never a rejected one", async () => {
  const { billing, next, resolved, pass } = await createFixture();
  const admit = (isKeyed = false) => billing.admit({ walletHash: "a", isKeyed });
  assert.equal((await admit()).kind, "admitted");
  await pass(999);
  await admit();
  assert.equal(resolved.length, 1);
  await pass(1);
  const wallet = { ...WALLET, balance_micro: 499, spendable_micro: 499 };
  next.resolve.push(
    () => wallet,
    () => null,
    () => ({ ...wallet, status: "frozen" }),
    () => wallet,
  );
  const refusal = { kind: "refused", balanceMicro: 499, spendableMicro: 499, reached: null, walletId: "wal_1" };
  assert.deepEqual(await admit(), { ...refusal, status: 402, code: "wallet_empty" });
  const nothing = { balanceMicro: null, spendableMicro: null, reached: null };
  assert.deepEqual(await admit(), { kind: "refused", status: 402, code: "wallet_unknown", ...nothing });
  assert.deepEqual(await admit(), { ...refusal, status: 403, code: "wallet_frozen" });
  assert.equal((await admit(true)).kind, "admitted", "a replay needs no balance");
  assert.equal((await admit()).kind, "admitted", "a top-up takes effect on the next call");
  assert.equal(resolved.length, 6);
});

test("reads the balance again after a charge took it below the price", async () => {
  const { billing, next, resolved, pass } = await createFixture();
  const walletHash = "a".repeat(64);
  await billing.admit({ walletHash, isKeyed: false });
  next.charge.push((batch) => charged(batch).map((result) => ({ ...result, balance_micro: 0 })));
  await during(billing.charge(call({ walletHash })), () => pass(1));
  await billing.admit({ walletHash, isKeyed: false });
  assert.equal(resolved.length, 2);
});

test("a later call does not share an earlier rejection", async () => {
  const { billing, next } = await createFixture();
  let answer: (wallet: null) => void = () => assert.fail("not requested yet");
  next.resolve.push(() => new Promise((resolve) => (answer = resolve)));
  const before = billing.admit({ walletHash: "a", isKeyed: false });
  const after = billing.admit({ walletHash: "a", isKeyed: false });
  answer(null);
  assert.deepEqual([(await before).kind, (await after).kind], ["refused", "admitted"]);
});

test("reports the rail as unavailable if it does not resolve a wallet within 2 s", async () => {
  const { billing, next, pass } = await createFixture();
  next.resolve.push(unreachable, unreachable);
  assert.equal((await during(billing.admit({ walletHash: "a", isKeyed: false }), () => pass(300))).kind, "admitted");
  for (let tried = 0; tried < 30; tried++) next.resolve.push(unreachable);
  const outcome = await during(billing.admit({ walletHash: "b", isKeyed: false }), () => pass(2000));
  assert.deepEqual(outcome, { kind: "unavailable", status: 503, code: "rail_unavailable" });
});

test("stop sends the remaining reports, and gives up after 2 s", async () => {
  const { billing, batches, pass } = await createFixture();
  const charge = isCharged(await during(billing.charge(call()), () => pass(1)));
  charge.delivered();
  const stopped = billing.stop();
  assert.equal(billing.stop(), stopped);
  await during(stopped, () => pass(30));
  assert.deepEqual([billing.state().phase, batches.at(-1)?.ack], ["stopped", { through: 1, also: [] }]);
  assert.equal((await billing.charge(call())).kind, "unavailable");

  const other = await createFixture();
  const open = isCharged(await during(other.billing.charge(call()), () => other.pass(1)));
  const [began, late] = [other.now(), other.billing.stop()];
  await during(late, () => other.pass(2000));
  assert.deepEqual([other.now() - began, open.signal.aborted], [2000, true]);
});
