import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { entryHash, FIRST_PREV } from "../../src/domain/entry.ts";
import type { ChargeInput } from "../../src/domain/charge-batch.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, chargeOf, hashOf, createFixture, PRICE } from "./fixture.ts";

forEachEngine<RailTables>("charging", { migrations: RAIL_MIGRATIONS }, (open) => {
  test("charges the price once, and returns the same charge for a repeated attempt", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1000);
    await fixture.greet();
    const first = await fixture.charge(ask(1));
    assert.equal(first.status, 201);
    const charge = chargeOf(first);
    assert.deepEqual([charge.balanceAfterMicro, charge.walletSeq, charge.qty], [500, 2, 1]);
    const again = await fixture.charge(ask(1));
    assert.deepEqual(again, first, "with all that its receipt says");
    assert.deepEqual(await fixture.ledger.charge(charge.id), charge);
    assert.equal(await fixture.balance(wallet), 500);
  });

  test("refuses a repeated attempt with another wallet, operation, price, key or digest", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1000);
    const other = await fixture.openWallet("w2", 1000);
    await fixture.greet();
    const first = await fixture.charge(ask(1, { keyHash: hashOf("k") }));
    const changes: Partial<ChargeInput>[] = [
      { walletHash: hashOf("w2") },
      { op: "score" },
      { priceId: "decision-v2" },
      { keyHash: hashOf("k2") },
      { keyHash: null },
      { req: "x".repeat(43) },
      { res: "x".repeat(43) },
    ];
    for (const change of changes) {
      const outcome = await fixture.charge(ask(1, { keyHash: hashOf("k"), ...change }));
      assert.deepEqual(outcome, { status: 422, code: "idempotency_key_reused" }, JSON.stringify(change));
    }
    assert.deepEqual(await fixture.charge(ask(1, { keyHash: hashOf("k") })), first);
    assert.deepEqual([await fixture.balance(wallet), await fixture.balance(other)], [500, 1000]);
    const [outcomes] = await fixture.send({ charges: [ask(2), ask(2, { walletHash: hashOf("w2") }), ask(2)] });
    assert.deepEqual(
      outcomes?.map(({ status }) => status),
      [201, 422, 201],
      "within one batch too",
    );
  });

  test("returns the charge of a repeated attempt after the wallet's token has expired", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1000);
    await fixture.greet();
    const first = await fixture.charge(ask(1));
    const rotation = { tokenHash: hashOf("next"), tokenHint: "next", previousUntil: fixture.now, now: fixture.now };
    await fixture.ledger.rotateToken(wallet, rotation);
    assert.deepEqual(await fixture.charge(ask(1)), first);
  });

  test("charges nothing above the balance", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 900);
    await fixture.greet();
    const charges = [ask(1), ask(2), ask(3, { walletHash: hashOf("nobody") })];
    const [outcomes] = await fixture.send({ charges });
    assert.deepEqual(
      outcomes?.map((outcome) => ({ ...outcome, charge: undefined })),
      [
        { status: 201, charge: undefined },
        { status: 402, code: "wallet_empty", balanceMicro: 400, charge: undefined },
        { status: 402, code: "wallet_unknown", charge: undefined },
      ],
    );
    assert.equal(await fixture.balance(wallet), 400);
  });

  test("a frozen wallet is not charged, and a closed one is unknown", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const by = { operator: "olivia", reason: "a test", context: fixture.context() };
    await fixture.ledger.setFrozen(wallet, true, by);
    assert.deepEqual(await fixture.charge(ask(1)), { status: 403, code: "wallet_frozen" });
    await fixture.ledger.setFrozen(wallet, false, by);
    assert.equal((await fixture.charge(ask(2))).status, 201);
    await fixture.ledger.closeWallet(wallet, fixture.context());
    assert.deepEqual(await fixture.charge(ask(3)), { status: 402, code: "wallet_unknown" });
  });

  test("a key is in progress until delivery, is replayed afterwards, and is free after a void", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const key = { keyHash: hashOf("k-17"), sealed: "sealed-1" };
    const first = chargeOf(await fixture.charge(ask(1, key)));
    assert.equal(first.idk, Buffer.from(hashOf("k-17"), "hex").subarray(0, 16).toString("base64url"));
    assert.deepEqual(await fixture.charge(ask(2, key)), { status: 409, code: "idempotency_in_progress" });
    const other = await fixture.charge(ask(3, { ...key, req: "x".repeat(43) }));
    assert.deepEqual(other, { status: 422, code: "idempotency_key_reused" });
    assert.equal((await fixture.charge(ask(4, { ...key, op: "score" }))).status, 201);
    await fixture.send({ ack: { through: 1, also: [] } });
    const again = await fixture.charge(ask(5, key));
    assert.deepEqual([again.status, chargeOf(again).id], [200, first.id]);
    assert.equal(await fixture.ledger.sealedResponse(first.id), "sealed-1");
    await fixture.send({ voids: [{ seq: 4, reason: "client_gone" }] });
    assert.equal((await fixture.charge(ask(6, { ...key, op: "score" }))).status, 201);
    assert.equal(await fixture.balance(wallet), 9000);
  });

  test("two attempts of one key in one batch are one charge", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const key = { keyHash: hashOf("k") };
    const [outcomes] = await fixture.send({ charges: [ask(1, key), ask(2, key)] });
    assert.deepEqual(
      outcomes?.map(({ status }) => status),
      [201, 409],
    );
    assert.equal(await fixture.balance(wallet), 9500);
  });

  test("checks for a replay before the balance", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", PRICE);
    await fixture.greet();
    const key = { keyHash: hashOf("k") };
    await fixture.charge(ask(1, key));
    await fixture.send({ ack: { through: 1, also: [] } });
    assert.equal((await fixture.charge(ask(2, key))).status, 200);
    assert.equal(await fixture.balance(wallet), 0);
  });

  test("a void in the same batch takes precedence over a watermark that passes it", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const delivered = chargeOf(await fixture.charge(ask(1)));
    const gone = chargeOf(await fixture.charge(ask(2)));
    await fixture.send({ ack: { through: 2, also: [] }, voids: [{ seq: 2, reason: "client_gone" }] });
    assert.deepEqual([await fixture.state(delivered), await fixture.state(gone)], ["delivered", "voided"]);
    const voided = await fixture.ledger.charge(gone.id);
    assert.deepEqual([voided?.voidReason, voided?.voidedAt, voided?.deliveredAt], ["client_gone", fixture.now, null]);
    await fixture.send({ voids: [{ seq: 1, reason: "client_gone" }] });
    assert.equal(await fixture.state(delivered), "delivered", "what was delivered stays charged");
    assert.equal(await fixture.balance(wallet), 9500);
  });

  test("acknowledges a delivery above the watermark by its number", async () => {
    await using fixture = createFixture(await open());
    await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const [outcomes] = await fixture.send({ charges: [ask(1), ask(2), ask(3)] });
    const charges = (outcomes ?? []).map(chargeOf);
    await fixture.send({ ack: { through: 0, also: [3] } });
    assert.deepEqual(await Promise.all(charges.map(fixture.state)), ["posted", "posted", "delivered"]);
    await fixture.send({ ack: { through: 3, also: [] } });
    assert.deepEqual(await Promise.all(charges.map(fixture.state)), ["delivered", "delivered", "delivered"]);
  });

  test("never charges an attempt that was voided or passed by the watermark before it arrived", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    await fixture.send({ voids: [{ seq: 7, reason: "aborted" }], ack: { through: 3, also: [] } });
    await fixture.send({ voids: [{ seq: 7, reason: "aborted" }] });
    assert.equal((await fixture.charge(ask(7))).status, 409);
    assert.equal((await fixture.charge(ask(2))).status, 409);
    assert.equal(await fixture.balance(wallet), 10_000);
  });

  test("promo money is spent first, returned to its source, and expires", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1000, { judgeStarter: () => "granted" });
    await fixture.greet();
    assert.equal(await fixture.balance(wallet), 101_000);
    assert.equal(chargeOf(await fixture.charge(ask(1))).promoMicro, 500);
    await fixture.send({ voids: [{ seq: 1, reason: "client_gone" }] });
    assert.equal((await fixture.ledger.wallet(wallet))?.promoMicro, 100_000);
    fixture.now += 90 * 86_400_000;
    await fixture.greet("gw-1", "b9");
    assert.equal(chargeOf(await fixture.charge(ask(1), "b9")).promoMicro, 0);
    assert.equal(await fixture.balance(wallet), 500);
  });

  test("a charge across both buckets is two transfers under one entry", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1000, { judgeStarter: () => "granted" });
    await fixture.greet();
    const charge = chargeOf(await fixture.charge(ask(1, { priceMicro: 100_200 })));
    assert.deepEqual([charge.promoMicro, charge.amountMicro, charge.balanceAfterMicro], [100_000, 100_200, 800]);
    const transfers = await all(fixture.ledger.transfers());
    assert.deepEqual(
      transfers
        .filter(({ entryId }) => entryId === charge.entryId)
        .map(({ credit, debit, amountMicro }) => [debit, credit, amountMicro]),
      [
        [`wallet:${wallet}:paid`, "revenue:decisions:0", 200],
        [`wallet:${wallet}:promo`, "revenue:decisions:0", 100_000],
      ],
    );
  });

  test("the entries of a wallet form a chain without gaps", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000, { judgeStarter: () => "granted" });
    await fixture.greet();
    await fixture.send({ charges: [ask(1), ask(2), ask(3)] });
    await fixture.send({ voids: [{ seq: 2, reason: "client_gone" }], charges: [ask(4)] });
    const entries = await all(fixture.ledger.allEntries());
    let head = FIRST_PREV;
    for (const [index, entry] of entries.entries()) {
      assert.deepEqual([entry.seq, entry.prev], [index + 1, head]);
      head = entryHash(entry);
    }
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["starter", "adjustment", "charge", "charge", "charge", "void", "charge"],
    );
    assert.equal((await fixture.ledger.wallet(wallet))?.head, head);
  });
});

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}
