/** Caps of wallets and sub-tokens, counted in the commit that moves the money. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { ChargeOutcome } from "../../src/domain/charge-batch.ts";
import { readingVerbs } from "../../src/store/reading.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, BY, chargeOf, createFixture, hashOf, PRICE, type Fixture } from "./fixture.ts";

const agent = { walletHash: hashOf("agent") };

function reachedBy(outcome: ChargeOutcome) {
  assert.ok(outcome.status === 403 && outcome.code === "cap_reached", JSON.stringify(outcome));
  return outcome.reached;
}

async function spentBy(fixture: Fixture, id: string): Promise<number[]> {
  const token = await fixture.ledger.subToken(id);
  assert.ok(token !== null);
  const { day, month, totalMicro } = token.spend;
  return [day.micro, day.beforeMicro, month.micro, totalMicro].map((micro) => micro / PRICE);
}

forEachEngine<RailTables>("caps", { migrations: RAIL_MIGRATIONS }, (open) => {
  test("a charge beyond a cap of its token is refused with the cap, and moves nothing", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const token = await fixture.openToken(wallet, "agent", { caps: { per_day: 2 * PRICE } });
    await fixture.greet();
    for (const seq of [1, 2]) {
      const charge = chargeOf(await fixture.charge(ask(seq, agent)));
      assert.deepEqual([charge.tokenId, charge.spendableMicro], [token, (2 - seq) * PRICE]);
    }
    const outcome = await fixture.charge(ask(3, agent));
    assert.deepEqual(reachedBy(outcome), {
      cap: "per_day",
      owner: "token",
      limitMicro: 2 * PRICE,
      spentMicro: 2 * PRICE,
      resetsAt: Date.parse("2026-01-03"),
    });
    assert.equal(await fixture.balance(wallet), 98 * PRICE);
    assert.equal((await fixture.charge(ask(4))).status, 201, "the main token is not limited by it");
    assert.deepEqual(await spentBy(fixture, token), [2, 0, 2, 2]);
    assert.deepEqual((await fixture.ledger.audit()).violations, []);
  });

  test("a cap of the wallet limits all of its tokens together, and can be removed", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    await fixture.openToken(wallet, "agent");
    await fixture.greet();
    await fixture.charge(ask(1));
    await fixture.ledger.changeWallet(wallet, { caps: { per_month: 3 * PRICE } });
    await fixture.charge(ask(2, agent));
    const charge = chargeOf(await fixture.charge(ask(3)));
    assert.equal(charge.spendableMicro, 0, "spend before the cap was set counts");
    const reached = reachedBy(await fixture.charge(ask(4, agent)));
    assert.deepEqual([reached.cap, reached.owner, reached.resetsAt], ["per_month", "wallet", Date.parse("2026-02-01")]);
    await fixture.ledger.changeWallet(wallet, { caps: { per_month: null } });
    assert.equal((await fixture.charge(ask(5, agent))).status, 201);
  });

  test("if several caps are reached, the problem names the one that lasts longest", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const caps = { per_day: PRICE, per_month: PRICE, total: PRICE };
    await fixture.openToken(wallet, "agent", { caps });
    await fixture.openToken(wallet, "small", { caps: { ...caps, per_charge: PRICE - 1 } });
    await fixture.openToken(wallet, "monthly", { caps: { ...caps, total: null } });
    await fixture.greet();
    await fixture.charge(ask(1, agent));
    await fixture.charge(ask(2, { walletHash: hashOf("monthly") }));
    const total = reachedBy(await fixture.charge(ask(3, agent)));
    assert.deepEqual([total.cap, total.resetsAt], ["total", null]);
    assert.equal(reachedBy(await fixture.charge(ask(4, { walletHash: hashOf("small") }))).cap, "per_charge");
    assert.equal(reachedBy(await fixture.charge(ask(5, { walletHash: hashOf("monthly") }))).cap, "per_month");
  });

  test("the day changes exactly at UTC midnight, and a void reduces the spend of the day of its charge", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const token = await fixture.openToken(wallet, "agent", { caps: { per_day: PRICE } });
    fixture.now = Date.parse("2026-01-02T23:59:59.990Z");
    await fixture.greet();
    await fixture.charge(ask(1, agent));
    fixture.now = Date.parse("2026-01-02T23:59:59.999Z");
    assert.equal((await fixture.charge(ask(2, agent))).status, 403);
    fixture.now = Date.parse("2026-01-03T00:00:00.000Z");
    assert.equal((await fixture.charge(ask(3, agent))).status, 201);
    await fixture.send({ voids: [{ seq: 1, reason: "client_gone" }] });
    assert.deepEqual(await spentBy(fixture, token), [1, 0, 1, 1]);
    assert.equal((await fixture.charge(ask(4, agent))).status, 403, "yesterday's void frees nothing today");
    // For another process, whose clock is a little behind, it is still the previous day.
    fixture.now = Date.parse("2026-01-02T23:59:59.999Z");
    assert.equal((await fixture.charge(ask(5, agent))).status, 201);
    assert.equal((await fixture.charge(ask(6, agent))).status, 403);
    assert.deepEqual(await spentBy(fixture, token), [1, 1, 2, 2]);
  });

  test("a window that is no longer kept accepts no capped charge", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    await fixture.openToken(wallet, "agent", { caps: { per_day: 5 * PRICE } });
    await fixture.greet();
    const start = fixture.now;
    await fixture.charge(ask(1, agent));
    fixture.now = start + 5 * 86_400_000;
    await fixture.greet("gw-1", "b2");
    await fixture.charge(ask(2, agent), "b2");
    fixture.now = start;
    const reached = reachedBy(await fixture.charge(ask(3, agent), "b2"));
    assert.deepEqual([reached.cap, reached.resetsAt], ["per_day", Date.parse("2026-01-03")]);
  });

  test("a replay and a repeated attempt count nothing, even when the cap is reached", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const token = await fixture.openToken(wallet, "agent", { caps: { total: PRICE } });
    await fixture.greet();
    const keyed = { ...agent, keyHash: hashOf("k"), sealed: "s" };
    const first = chargeOf(await fixture.charge(ask(1, keyed)));
    assert.deepEqual(chargeOf(await fixture.charge(ask(1, keyed))), first);
    await fixture.send({ ack: { through: 1, also: [] } });
    const replay = await fixture.charge(ask(2, keyed));
    assert.deepEqual([replay.status, chargeOf(replay).spendableMicro], [200, 0]);
    assert.deepEqual(await spentBy(fixture, token), [1, 0, 1, 1]);
  });

  test("keys of different tokens of one wallet are independent", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    await fixture.openToken(wallet, "agent");
    await fixture.greet();
    const key = { keyHash: hashOf("k"), sealed: "s" };
    const ids = [
      chargeOf(await fixture.charge(ask(1, key))).id,
      chargeOf(await fixture.charge(ask(2, { ...key, ...agent, req: "other".padEnd(43, "o") }))).id,
    ];
    assert.notEqual(ids[0], ids[1]);
    assert.deepEqual((await fixture.ledger.audit()).violations, []);
  });

  test("a token pays only for its operations, and not after its expiry or revocation", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const token = await fixture.openToken(wallet, "agent", { ops: ["score"] });
    await fixture.openToken(wallet, "short", { expiresAt: fixture.now + 1_000 });
    await fixture.greet();
    const denied = await fixture.charge(ask(1, agent));
    assert.deepEqual(denied, { status: 403, code: "operation_not_allowed" });
    assert.equal((await fixture.charge(ask(2, { ...agent, op: "score" }))).status, 201);
    assert.equal((await fixture.charge(ask(3, { walletHash: hashOf("short") }))).status, 201);
    fixture.now += 1_000;
    assert.equal((await fixture.charge(ask(4, { walletHash: hashOf("short") }))).status, 402);
    assert.equal(await fixture.ledger.revokeSubToken(wallet, token, fixture.now), true);
    assert.equal(await fixture.ledger.revokeSubToken(wallet, token, fixture.now), false);
    assert.equal((await fixture.charge(ask(5, { ...agent, op: "score" }))).status, 402);
  });

  test("the end of a boot and a refund reduce the spend of tokens", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const token = await fixture.openToken(wallet, "agent", { caps: { total: 3 * PRICE } });
    await fixture.greet();
    const charge = chargeOf(await fixture.charge(ask(1, agent)));
    await fixture.charge(ask(2, agent));
    await fixture.send({ ack: { through: 1, also: [] } });
    await fixture.greet("gw-1", "b2");
    assert.deepEqual(await spentBy(fixture, token), [1, 0, 1, 1]);
    await fixture.ledger.refundCharge(charge.id, { ...BY, context: fixture.context() });
    assert.deepEqual(await spentBy(fixture, token), [0, 0, 0, 0]);
    const [refund] = await fixture.ledger.entries(wallet, {
      tokenId: token,
      kinds: ["refund"],
      since: null,
      until: null,
      before: null,
      limit: 9,
    });
    assert.equal(refund?.tokenId, token);
  });

  test("entries and usage can be read per token", async () => {
    const database = await open();
    await using fixture = createFixture(database);
    const wallet = await fixture.openWallet("w1", 100 * PRICE);
    const token = await fixture.openToken(wallet, "agent");
    await fixture.greet();
    for (const seq of [1, 2, 3]) await fixture.charge(ask(seq, seq === 2 ? {} : agent));
    await fixture.send({ voids: [{ seq: 3, reason: "client_gone" }] });
    const all = { kinds: [], since: null, until: null, before: null, limit: 50 };
    const entries = await fixture.ledger.entries(wallet, { ...all, tokenId: token });
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["void", "charge", "charge"],
    );
    for (const readAtOnce of [1, 2, 3]) {
      const inPortions = await readingVerbs(database, readAtOnce).entries(wallet, { ...all, tokenId: token, limit: 2 });
      assert.deepEqual(inPortions, entries.slice(0, 2));
    }
    const span = { from: 0, to: fixture.now + 1, by: "token" } as const;
    assert.deepEqual(await fixture.ledger.usage(wallet, span), [
      { bucket: "main", decisions: 1, amountMicro: PRICE },
      { bucket: token, decisions: 1, amountMicro: PRICE },
    ]);
    assert.equal((await fixture.ledger.usage(wallet, { ...span, tokenId: token })).length, 1);
  });
});
