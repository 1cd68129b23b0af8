import assert from "node:assert/strict";
import { test } from "node:test";
import { call, charged, during, isCharged, createFixture, unreachable } from "./scripted-rail.ts";

test("sends no charge before the boot is registered", async () => {
  const { billing, greetings, next, pass } = await createFixture({ instance: "gw-9" });
  assert.equal(greetings.length, 1);
  assert.equal(billing.state().phase, "live");
  next.charge.push(() => "fenced");
  next.hello.push(unreachable);
  await pass(1000);
  assert.deepEqual(await billing.charge(call()), { kind: "unavailable", status: 503, code: "rail_unavailable" });
});

test("sends only an empty batch every second when idle", async () => {
  const { batches, pass } = await createFixture();
  await pass(999);
  assert.equal(batches.length, 0);
  await pass(2001);
  assert.equal(batches.length, 3);
  assert.deepEqual([batches[0].charges, batches[0].voids, batches[0].ack], [[], [], { through: 0, also: [] }]);
});

test("batches simultaneous charges, and puts later ones into the next batch, at most 64", async () => {
  const { billing, batches, next, pass } = await createFixture();
  const answers: (() => void)[] = [];
  next.charge.push((batch) => new Promise((resolve) => answers.push(() => resolve(charged(batch)))));
  const early = [billing.charge(call()), billing.charge(call())];
  await pass(1);
  const late = Array.from({ length: 70 }, () => billing.charge(call()));
  await pass(100);
  assert.deepEqual(
    batches.map(({ charges }) => charges?.length),
    [2],
    "sends one batch at a time",
  );
  answers[0]();
  await pass(100);
  for (const outcome of await Promise.all([...early, ...late])) isCharged(outcome);
  assert.deepEqual(
    batches.slice(0, 3).map(({ charges }) => charges?.length),
    [2, 64, 6],
  );
});

test("acknowledges deliveries within 25 ms, voids abandoned attempts, and keeps the watermark below open ones", async () => {
  const { billing, batches, pass } = await createFixture();
  const work = Promise.all([1, 2, 3, 4].map(() => billing.charge(call())));
  const charges = (await during(work, () => pass(1))).map(isCharged);
  charges[1].delivered();
  charges[2].aborted("client_gone");
  await pass(24);
  assert.equal(batches.length, 1);
  await pass(1);
  const [, batch] = batches;
  assert.deepEqual([batch.ack, batch.voids], [{ through: 0, also: [2] }, [{ seq: 3, reason: "client_gone" }]]);
  charges[0].delivered();
  charges[3].delivered();
  await pass(25);
  assert.deepEqual([batches[2].ack, batches[2].voids], [{ through: 4, also: [] }, []]);
});

test("only the first call of delivered and aborted counts", async () => {
  const { billing, batches, pass } = await createFixture();
  const charge = isCharged(await during(billing.charge(call()), () => pass(1)));
  charge.delivered();
  charge.aborted("client_gone");
  await pass(25);
  assert.deepEqual([batches[1].ack, batches[1].voids], [{ through: 1, also: [] }, []]);
});

test("repeats an end until a batch that contains it is confirmed", async () => {
  const { billing, batches, next, pass } = await createFixture();
  const charge = isCharged(await during(billing.charge(call()), () => pass(1)));
  charge.aborted("aborted");
  next.charge.push(unreachable, unreachable);
  await pass(300);
  const voidCounts = batches.slice(1, 5).map(({ voids }) => voids?.length);
  assert.deepEqual(voidCounts.slice(0, 3), [1, 1, 1]);
  assert.ok(voidCounts.slice(3).every((count) => count === 0));
});

test("retries an attempt for 2 s while the rail is unreachable, then voids it when the rail is back", async () => {
  const { billing, batches, next, pass, now } = await createFixture();
  for (let tried = 0; tried < 8; tried++) next.charge.push(unreachable);
  const began = now();
  const work = billing.charge(call());
  await pass(1999);
  const outcome = await during(work, () => pass(1));
  assert.deepEqual([outcome.kind, now() - began], ["unavailable", 2000]);
  assert.ok(batches.length > 4);
  assert.deepEqual(
    new Set(batches.flatMap(({ boot, charges }) => charges?.map(({ seq }) => `${boot} ${seq}`))).size,
    1,
  );
  await pass(2000);
  const last = batches.find(({ voids }) => voids?.length);
  assert.deepEqual(
    [last?.voids, last?.ack, last?.charges],
    [[{ seq: 1, reason: "aborted" }], { through: 1, also: [] }, []],
  );
});

test("a retried attempt whose response was lost gets the existing charge", async () => {
  const { billing, batches, next, pass } = await createFixture();
  next.charge.push(unreachable);
  const outcome = isCharged(await during(billing.charge(call()), () => pass(200)));
  assert.deepEqual([outcome.chargeId, batches.length], [`chg_${batches[0].boot}_1`, 2]);
});

test("voids a rejected attempt too, because a copy may still arrive", async () => {
  const { billing, batches, next, pass } = await createFixture();
  next.charge.push(() => [{ seq: 1, status: 402, code: "wallet_empty", balance_micro: 100 }]);
  const outcome = await during(billing.charge(call()), () => pass(1));
  const left = { balanceMicro: 100, spendableMicro: 100, reached: null };
  assert.deepEqual(outcome, { kind: "refused", status: 402, code: "wallet_empty", ...left });
  await pass(25);
  assert.deepEqual([batches[1].voids, batches[1].ack], [[{ seq: 1, reason: "aborted" }], { through: 1, also: [] }]);
});
