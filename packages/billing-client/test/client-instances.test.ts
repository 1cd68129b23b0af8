import assert from "node:assert/strict";
import { test } from "node:test";
import { call, charged, during, isCharged, never, createFixture, unreachable } from "./scripted-rail.ts";

test("when fenced, aborts open charges, registers another boot, and counts attempts from 1 again", async () => {
  const { billing, batches, greetings, next, pass } = await createFixture();
  const charge = isCharged(await during(billing.charge(call()), () => pass(1)));
  next.charge.push(() => "fenced");
  assert.equal((await during(billing.charge(call()), () => pass(1))).kind, "unavailable");
  assert.ok(charge.signal.aborted);
  charge.delivered();
  await pass(1);
  assert.equal(new Set(greetings).size, 2);
  isCharged(await during(billing.charge(call()), () => pass(1)));
  const last = batches.at(-1);
  assert.deepEqual([last?.boot, last?.ack, last?.charges?.[0].seq], [greetings[1], { through: 0, also: [] }, 1]);
});

test("replaces a boot that the rail rejects", async () => {
  const troubles: string[] = [];
  const { billing, greetings, next, pass } = await createFixture({
    onError: ({ asking }) => void troubles.push(asking),
  });
  next.charge.push(() => "fenced");
  next.hello.push(() => "fenced", unreachable);
  await pass(1200);
  assert.deepEqual(troubles, ["hello"], "reports only a hello that got no response");
  assert.equal(new Set(greetings).size, 3);
  assert.deepEqual([greetings.length, billing.state().phase, billing.state().fenced], [4, "live", 2]);
});

test("an expired lease ends the boot by the local clock", async () => {
  const { billing, batches, greetings, next, pass } = await createFixture();
  const charge = isCharged(await during(billing.charge(call()), () => pass(1)));
  for (let tried = 0; tried < 100; tried++) next.charge.push(unreachable);
  await pass(29_000);
  assert.equal(charge.signal.aborted, false);
  await pass(2000);
  assert.ok(charge.signal.aborted);
  assert.equal(greetings.length, 2);
  assert.notEqual(batches[0].boot, greetings[1]);
});

test("discards a response that arrived after the lease expired", async () => {
  const { billing, next, pass } = await createFixture();
  next.charge.push((batch) => during(Promise.resolve(charged(batch)), () => slept));
  let wake = () => {};
  const slept = new Promise<void>((resolve) => (wake = resolve));
  const work = billing.charge(call());
  const outcome = work.then(({ kind }) => kind);
  await pass(1);
  await pass(31_000);
  wake();
  await pass(1);
  assert.equal(await outcome, "unavailable");
});

test("aborts charges that stay open for a minute, as the rail does", async () => {
  const { billing, batches, pass } = await createFixture();
  const charge = isCharged(await during(billing.charge(call()), () => pass(1)));
  await pass(59_900);
  assert.equal(charge.signal.aborted, false);
  await pass(1200);
  assert.ok(charge.signal.aborted);
  assert.deepEqual(
    batches.flatMap(({ voids = [] }) => voids),
    [{ seq: 1, reason: "unacknowledged" }],
  );
});

test("rejects charges beyond the capacity as overloaded", async () => {
  const { billing, next, pass } = await createFixture({ capacity: 3 });
  next.charge.push(never);
  for (let count = 0; count < 3; count++) void billing.charge(call());
  assert.deepEqual(await billing.charge(call()), { kind: "unavailable", status: 503, code: "overloaded" });
  await pass(1);
});
