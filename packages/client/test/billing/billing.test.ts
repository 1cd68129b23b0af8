import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChargeCall, ChargeOutcome, Charged } from "../../src/billing/index.ts";
import { charged, never, scene, unreachable } from "./scripted-rail.ts";

const call = (more: Partial<ChargeCall> = {}): ChargeCall => ({
  walletHash: "a".repeat(64),
  op: "route",
  req: "q".repeat(43),
  res: "s".repeat(43),
  ...more,
});

function isCharged(outcome: ChargeOutcome): Charged {
  assert.equal(outcome.kind, "charged", JSON.stringify(outcome));
  assert.ok(outcome.kind === "charged");
  return outcome;
}

/** Lets time pass while the work is done. */
async function during<T>(work: Promise<T>, pass: () => Promise<void>): Promise<T> {
  await pass();
  return work;
}

test("a boot says hello before anything else, and until then nothing is charged", async () => {
  const { billing, greetings, next, pass } = await scene({ instance: "gw-9" });
  assert.equal(greetings.length, 1);
  assert.equal(billing.state().phase, "live");
  next.charge.push(() => "fenced");
  next.hello.push(unreachable);
  await pass(1000);
  assert.deepEqual(await billing.charge(call()), { kind: "unavailable", status: 503, code: "rail_unavailable" });
});

test("an empty batch leaves every second, and only then", async () => {
  const { batches, pass } = await scene();
  await pass(999);
  assert.equal(batches.length, 0);
  await pass(2001);
  assert.equal(batches.length, 3);
  assert.deepEqual([batches[0].charges, batches[0].voids, batches[0].ack], [[], [], { through: 0, also: [] }]);
});

test("charges of one moment leave together, those that come meanwhile in the next batch, at most 64", async () => {
  const { billing, batches, next, pass } = await scene();
  const answers: (() => void)[] = [];
  next.charge.push((batch) => new Promise((resolve) => answers.push(() => resolve(charged(batch)))));
  const early = [billing.charge(call()), billing.charge(call())];
  await pass(1);
  const late = Array.from({ length: 70 }, () => billing.charge(call()));
  await pass(100);
  assert.deepEqual(
    batches.map(({ charges }) => charges?.length),
    [2],
    "one batch in flight",
  );
  answers[0]();
  await pass(100);
  for (const outcome of await Promise.all([...early, ...late])) isCharged(outcome);
  assert.deepEqual(
    batches.slice(0, 3).map(({ charges }) => charges?.length),
    [2, 64, 6],
  );
});

test("what was delivered is acknowledged within 25 ms, what was left is voided, and the watermark waits for what is open", async () => {
  const { billing, batches, pass } = await scene();
  const work = Promise.all([1, 2, 3, 4].map(() => billing.charge(call())));
  const held = (await during(work, () => pass(1))).map(isCharged);
  held[1].delivered();
  held[2].aborted("client_gone");
  await pass(24);
  assert.equal(batches.length, 1);
  await pass(1);
  const [, told] = batches;
  assert.deepEqual([told.ack, told.voids], [{ through: 0, also: [2] }, [{ seq: 3, reason: "client_gone" }]]);
  held[0].delivered();
  held[3].delivered();
  await pass(25);
  assert.deepEqual([batches[2].ack, batches[2].voids], [{ through: 4, also: [] }, []]);
});

test("of delivered and aborted the first counts", async () => {
  const { billing, batches, pass } = await scene();
  const held = isCharged(await during(billing.charge(call()), () => pass(1)));
  held.delivered();
  held.aborted("client_gone");
  await pass(25);
  assert.deepEqual([batches[1].ack, batches[1].voids], [{ through: 1, also: [] }, []]);
});

test("an end is told again until a batch that told it was answered", async () => {
  const { billing, batches, next, pass } = await scene();
  const held = isCharged(await during(billing.charge(call()), () => pass(1)));
  held.aborted("aborted");
  next.charge.push(unreachable, unreachable);
  await pass(300);
  const told = batches.slice(1, 5).map(({ voids }) => voids?.length);
  assert.deepEqual(told.slice(0, 3), [1, 1, 1]);
  assert.ok(told.slice(3).every((count) => count === 0));
});

test("the same attempt is sent again for 2 s while the rail is unreachable, then it is voided as soon as the rail is back", async () => {
  const { billing, batches, next, pass, now } = await scene();
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

test("an attempt whose answer was lost gets the charge that was made", async () => {
  const { billing, batches, next, pass } = await scene();
  next.charge.push(unreachable);
  const outcome = isCharged(await during(billing.charge(call()), () => pass(200)));
  assert.deepEqual([outcome.chargeId, batches.length], [`chg_${batches[0].boot}_1`, 2]);
});

test("a refused attempt is voided too: a copy of it may still be on its way", async () => {
  const { billing, batches, next, pass } = await scene();
  next.charge.push(() => [{ seq: 1, status: 402, code: "wallet_empty", balance_micro: 100 }]);
  const outcome = await during(billing.charge(call()), () => pass(1));
  assert.deepEqual(outcome, { kind: "refused", status: 402, code: "wallet_empty", balanceMicro: 100 });
  await pass(25);
  assert.deepEqual([batches[1].voids, batches[1].ack], [[{ seq: 1, reason: "aborted" }], { through: 1, also: [] }]);
});

test("fenced: what is held is aborted, and after a hello under another boot attempts count from 1 again", async () => {
  const { billing, batches, greetings, next, pass } = await scene();
  const held = isCharged(await during(billing.charge(call()), () => pass(1)));
  next.charge.push(() => "fenced");
  assert.equal((await during(billing.charge(call()), () => pass(1))).kind, "unavailable");
  assert.ok(held.signal.aborted);
  held.delivered();
  await pass(1);
  assert.equal(new Set(greetings).size, 2);
  isCharged(await during(billing.charge(call()), () => pass(1)));
  const last = batches.at(-1);
  assert.deepEqual([last?.boot, last?.ack, last?.charges?.[0].seq], [greetings[1], { through: 0, also: [] }, 1]);
});

test("a boot that the rail does not take is replaced by another", async () => {
  const troubles: string[] = [];
  const { billing, greetings, next, pass } = await scene({ onTrouble: ({ asking }) => void troubles.push(asking) });
  next.charge.push(() => "fenced");
  next.hello.push(() => "fenced", unreachable);
  await pass(1200);
  assert.deepEqual(troubles, ["hello"], "being replaced is no trouble, being unheard is");
  assert.equal(new Set(greetings).size, 3);
  assert.deepEqual([greetings.length, billing.state().phase, billing.state().fenced], [4, "live", 2]);
});

test("a lease that ran out unheard ends the boot by our own clock", async () => {
  const { billing, batches, greetings, next, pass } = await scene();
  const held = isCharged(await during(billing.charge(call()), () => pass(1)));
  for (let tried = 0; tried < 100; tried++) next.charge.push(unreachable);
  await pass(29_000);
  assert.equal(held.signal.aborted, false);
  await pass(2000);
  assert.ok(held.signal.aborted);
  assert.equal(greetings.length, 2);
  assert.notEqual(batches[0].boot, greetings[1]);
});

test("an answer we slept on is not handed on", async () => {
  const { billing, next, pass } = await scene();
  next.charge.push((batch) => during(Promise.resolve(charged(batch)), () => slept));
  let wake = () => {};
  const slept = new Promise<void>((resolve) => (wake = resolve));
  const work = billing.charge(call());
  const told = work.then(({ kind }) => kind);
  await pass(1);
  await pass(31_000);
  wake();
  await pass(1);
  assert.equal(await told, "unavailable");
});

test("what is held for a minute is let go, as the rail does", async () => {
  const { billing, batches, pass } = await scene();
  const held = isCharged(await during(billing.charge(call()), () => pass(1)));
  await pass(59_900);
  assert.equal(held.signal.aborted, false);
  await pass(1200);
  assert.ok(held.signal.aborted);
  assert.deepEqual(
    batches.flatMap(({ voids = [] }) => voids),
    [{ seq: 1, reason: "unacknowledged" }],
  );
});

test("more than it can hold is refused as overloaded", async () => {
  const { billing, next, pass } = await scene({ capacity: 3 });
  next.charge.push(never);
  for (let held = 0; held < 3; held++) void billing.charge(call());
  assert.deepEqual(await billing.charge(call()), { kind: "unavailable", status: 503, code: "overloaded" });
  await pass(1);
});

test("calls of one key: the second waits for the first, and gets its answer when it was delivered", async () => {
  const { billing, batches, pass } = await scene();
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

test("calls of one key: when the first came to nothing the second acts, and one that waits 2 s is told so", async () => {
  const { billing, pass } = await scene();
  const keyed = call({ key: "k" });
  const first = isCharged(await during(billing.charge(keyed), () => pass(1)));
  const [second, third] = [billing.charge(keyed), billing.charge(keyed)];
  await pass(1000);
  first.aborted("client_gone");
  await pass(1);
  assert.notEqual(isCharged(await second).chargeId, first.chargeId);
  await pass(1000);
  assert.deepEqual(await third, { kind: "refused", status: 409, code: "idempotency_in_progress", balanceMicro: null });
});

test("calls of one key with another request are refused; another wallet or operation is another key", async () => {
  const { billing, pass } = await scene();
  const keyed = call({ key: "k" });
  isCharged(await during(billing.charge(keyed), () => pass(1)));
  const other = await billing.charge({ ...keyed, req: "x".repeat(43) });
  assert.deepEqual(other, { kind: "refused", status: 422, code: "idempotency_key_reused", balanceMicro: null });
  isCharged(await during(billing.charge({ ...keyed, op: "score" }), () => pass(1)));
  isCharged(await during(billing.charge({ ...keyed, walletHash: "b".repeat(64) }), () => pass(1)));
});

test("a key that was delivered elsewhere is replayed with its sealed answer", async () => {
  const { billing, next, pass } = await scene();
  next.charge.push((batch) => charged(batch).map((result) => ({ ...result, status: 200, response: "sealed-0" })));
  const replay = await during(billing.charge(call({ key: "k" })), () => pass(1));
  assert.ok(replay.kind === "replayed");
  assert.equal(replay.sealed, "sealed-0");
});

test("a sealed answer goes along only with a key, and only when the rail takes its size", async () => {
  const { billing, batches, pass } = await scene();
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

test("a wallet that may ask is known for a second; a refusal is asked for anew each time", async () => {
  const { billing, next, resolved, pass } = await scene();
  const admit = (isKeyed = false) => billing.admit({ walletHash: "a", isKeyed });
  assert.equal((await admit()).kind, "admitted");
  await pass(999);
  await admit();
  assert.equal(resolved.length, 1);
  await pass(1);
  const wallet = { wallet_id: "wal_1", status: "active", balance_micro: 499 } as const;
  next.resolve.push(
    () => wallet,
    () => null,
    () => ({ ...wallet, status: "frozen" }),
    () => wallet,
  );
  assert.deepEqual(await admit(), { kind: "refused", status: 402, code: "wallet_empty", balanceMicro: 499 });
  assert.deepEqual(await admit(), { kind: "refused", status: 402, code: "wallet_unknown", balanceMicro: null });
  assert.deepEqual(await admit(), { kind: "refused", status: 403, code: "wallet_frozen", balanceMicro: 499 });
  assert.equal((await admit(true)).kind, "admitted", "a replay needs no money");
  assert.equal((await admit()).kind, "admitted", "a top-up helps the very next call");
  assert.equal(resolved.length, 6);
});

test("a balance that a charge took below the price is asked for again", async () => {
  const { billing, next, resolved, pass } = await scene();
  const walletHash = "a".repeat(64);
  await billing.admit({ walletHash, isKeyed: false });
  next.charge.push((batch) => charged(batch).map((result) => ({ ...result, balance_micro: 0 })));
  await during(billing.charge(call({ walletHash })), () => pass(1));
  await billing.admit({ walletHash, isKeyed: false });
  assert.equal(resolved.length, 2);
});

test("a call that came after the question does not share its refusal", async () => {
  const { billing, next } = await scene();
  let answer: (wallet: null) => void = () => assert.fail("not asked yet");
  next.resolve.push(() => new Promise((resolve) => (answer = resolve)));
  const before = billing.admit({ walletHash: "a", isKeyed: false });
  const after = billing.admit({ walletHash: "a", isKeyed: false });
  answer(null);
  assert.deepEqual([(await before).kind, (await after).kind], ["refused", "admitted"]);
});

test("a rail that cannot be asked about a wallet for 2 s is unavailable", async () => {
  const { billing, next, pass } = await scene();
  next.resolve.push(unreachable, unreachable);
  assert.equal((await during(billing.admit({ walletHash: "a", isKeyed: false }), () => pass(300))).kind, "admitted");
  for (let tried = 0; tried < 30; tried++) next.resolve.push(unreachable);
  const outcome = await during(billing.admit({ walletHash: "b", isKeyed: false }), () => pass(2000));
  assert.deepEqual(outcome, { kind: "unavailable", status: 503, code: "rail_unavailable" });
});

test("stopping tells the rail what is left to tell, and gives up after 2 s", async () => {
  const { billing, batches, pass } = await scene();
  const held = isCharged(await during(billing.charge(call()), () => pass(1)));
  held.delivered();
  const stopped = billing.stop();
  assert.equal(billing.stop(), stopped);
  await during(stopped, () => pass(30));
  assert.deepEqual([billing.state().phase, batches.at(-1)?.ack], ["stopped", { through: 1, also: [] }]);
  assert.equal((await billing.charge(call())).kind, "unavailable");

  const other = await scene();
  const open = isCharged(await during(other.billing.charge(call()), () => other.pass(1)));
  const [began, late] = [other.now(), other.billing.stop()];
  await during(late, () => other.pass(2000));
  assert.deepEqual([other.now() - began, open.signal.aborted], [2000, true]);
});
