import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { entryHash, FIRST_PREV } from "../../src/domain/entry.ts";
import type { ChargeAsk } from "../../src/domain/charge-batch.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, chargeOf, hashOf, openScene, PRICE } from "./fixture.ts";

forEachEngine<RailTables>("charging", { migrations: RAIL_MIGRATIONS }, (open) => {
  test("a charge takes its price once, and the same attempt again gets the same charge", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 1000);
    await scene.greet();
    const first = await scene.charge(ask(1));
    assert.equal(first.status, 201);
    const charge = chargeOf(first);
    assert.deepEqual([charge.balanceAfterMicro, charge.walletSeq, charge.qty], [500, 2, 1]);
    const again = await scene.charge(ask(1));
    assert.deepEqual(again, first, "with all that its receipt says");
    assert.deepEqual(await scene.ledger.charge(charge.id), charge);
    assert.equal(await scene.balance(wallet), 500);
  });

  test("refuses a repeated attempt with another wallet, operation, price, key or digest", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 1000);
    const other = await scene.openWallet("w2", 1000);
    await scene.greet();
    const first = await scene.charge(ask(1, { keyHash: hashOf("k") }));
    const changes: Partial<ChargeAsk>[] = [
      { walletHash: hashOf("w2") },
      { op: "score" },
      { priceId: "decision-v2" },
      { keyHash: hashOf("k2") },
      { keyHash: null },
      { req: "x".repeat(43) },
      { res: "x".repeat(43) },
    ];
    for (const change of changes) {
      const outcome = await scene.charge(ask(1, { keyHash: hashOf("k"), ...change }));
      assert.deepEqual(outcome, { status: 422, code: "idempotency_key_reused" }, JSON.stringify(change));
    }
    assert.deepEqual(await scene.charge(ask(1, { keyHash: hashOf("k") })), first);
    assert.deepEqual([await scene.balance(wallet), await scene.balance(other)], [500, 1000]);
    const [outcomes] = await scene.send({ charges: [ask(2), ask(2, { walletHash: hashOf("w2") }), ask(2)] });
    assert.deepEqual(
      outcomes?.map(({ status }) => status),
      [201, 422, 201],
      "within one batch too",
    );
  });

  test("answers a repeated attempt with its charge after the wallet's token has ended", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 1000);
    await scene.greet();
    const first = await scene.charge(ask(1));
    const rotation = { tokenHash: hashOf("next"), tokenHint: "next", previousUntil: scene.now, now: scene.now };
    await scene.ledger.rotateToken(wallet, rotation);
    assert.deepEqual(await scene.charge(ask(1)), first);
  });

  test("what the wallet does not hold is not charged, and nothing moves", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 900);
    await scene.greet();
    const charges = [ask(1), ask(2), ask(3, { walletHash: hashOf("nobody") })];
    const [outcomes] = await scene.send({ charges });
    assert.deepEqual(
      outcomes?.map((outcome) => ({ ...outcome, charge: undefined })),
      [
        { status: 201, charge: undefined },
        { status: 402, code: "wallet_empty", balanceMicro: 400, charge: undefined },
        { status: 402, code: "wallet_unknown", charge: undefined },
      ],
    );
    assert.equal(await scene.balance(wallet), 400);
  });

  test("a frozen wallet is not charged and a closed one is unknown", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10_000);
    await scene.greet();
    const by = { operator: "olivia", reason: "a test", context: scene.context() };
    await scene.ledger.setFrozen(wallet, true, by);
    assert.deepEqual(await scene.charge(ask(1)), { status: 403, code: "wallet_frozen" });
    await scene.ledger.setFrozen(wallet, false, by);
    assert.equal((await scene.charge(ask(2))).status, 201);
    await scene.ledger.closeWallet(wallet, scene.context());
    assert.deepEqual(await scene.charge(ask(3)), { status: 402, code: "wallet_unknown" });
  });

  test("a key is in progress until its charge is delivered, replayed after, and free once it was voided", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10_000);
    await scene.greet();
    const key = { keyHash: hashOf("k-17"), sealed: "sealed-1" };
    const first = chargeOf(await scene.charge(ask(1, key)));
    assert.equal(first.idk, Buffer.from(hashOf("k-17"), "hex").subarray(0, 16).toString("base64url"));
    assert.deepEqual(await scene.charge(ask(2, key)), { status: 409, code: "idempotency_in_progress" });
    const other = await scene.charge(ask(3, { ...key, req: "x".repeat(43) }));
    assert.deepEqual(other, { status: 422, code: "idempotency_key_reused" });
    assert.equal((await scene.charge(ask(4, { ...key, op: "score" }))).status, 201);
    await scene.send({ ack: { through: 1, also: [] } });
    const again = await scene.charge(ask(5, key));
    assert.deepEqual([again.status, chargeOf(again).id], [200, first.id]);
    assert.equal(await scene.ledger.sealedResponse(first.id), "sealed-1");
    await scene.send({ voids: [{ seq: 4, reason: "client_gone" }] });
    assert.equal((await scene.charge(ask(6, { ...key, op: "score" }))).status, 201);
    assert.equal(await scene.balance(wallet), 9000);
  });

  test("two attempts of one key in one batch are one charge", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10_000);
    await scene.greet();
    const key = { keyHash: hashOf("k") };
    const [outcomes] = await scene.send({ charges: [ask(1, key), ask(2, key)] });
    assert.deepEqual(
      outcomes?.map(({ status }) => status),
      [201, 409],
    );
    assert.equal(await scene.balance(wallet), 9500);
  });

  test("a replay is judged before the balance", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", PRICE);
    await scene.greet();
    const key = { keyHash: hashOf("k") };
    await scene.charge(ask(1, key));
    await scene.send({ ack: { through: 1, also: [] } });
    assert.equal((await scene.charge(ask(2, key))).status, 200);
    assert.equal(await scene.balance(wallet), 0);
  });

  test("a void in the same batch wins over the watermark that passes it", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10_000);
    await scene.greet();
    const delivered = chargeOf(await scene.charge(ask(1)));
    const gone = chargeOf(await scene.charge(ask(2)));
    await scene.send({ ack: { through: 2, also: [] }, voids: [{ seq: 2, reason: "client_gone" }] });
    assert.deepEqual([await scene.state(delivered), await scene.state(gone)], ["delivered", "voided"]);
    const voided = await scene.ledger.charge(gone.id);
    assert.deepEqual([voided?.voidReason, voided?.voidedAt, voided?.deliveredAt], ["client_gone", scene.now, null]);
    await scene.send({ voids: [{ seq: 1, reason: "client_gone" }] });
    assert.equal(await scene.state(delivered), "delivered", "what was delivered stays charged");
    assert.equal(await scene.balance(wallet), 9500);
  });

  test("what is delivered above the watermark is acknowledged by its number alone", async () => {
    await using scene = openScene(await open());
    await scene.openWallet("w1", 10_000);
    await scene.greet();
    const [outcomes] = await scene.send({ charges: [ask(1), ask(2), ask(3)] });
    const charges = (outcomes ?? []).map(chargeOf);
    await scene.send({ ack: { through: 0, also: [3] } });
    assert.deepEqual(await Promise.all(charges.map(scene.state)), ["posted", "posted", "delivered"]);
    await scene.send({ ack: { through: 3, also: [] } });
    assert.deepEqual(await Promise.all(charges.map(scene.state)), ["delivered", "delivered", "delivered"]);
  });

  test("an attempt that was voided, or passed by the watermark, before it arrived is never charged", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10_000);
    await scene.greet();
    await scene.send({ voids: [{ seq: 7, reason: "aborted" }], ack: { through: 3, also: [] } });
    await scene.send({ voids: [{ seq: 7, reason: "aborted" }] });
    assert.equal((await scene.charge(ask(7))).status, 409);
    assert.equal((await scene.charge(ask(2))).status, 409);
    assert.equal(await scene.balance(wallet), 10_000);
  });

  test("promo money is spent first, goes back where it came from, and ends after its days", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 1000, { judgeStarter: () => "granted" });
    await scene.greet();
    assert.equal(await scene.balance(wallet), 101_000);
    assert.equal(chargeOf(await scene.charge(ask(1))).promoMicro, 500);
    await scene.send({ voids: [{ seq: 1, reason: "client_gone" }] });
    assert.equal((await scene.ledger.wallet(wallet))?.promoMicro, 100_000);
    scene.now += 90 * 86_400_000;
    await scene.greet("gw-1", "b9");
    assert.equal(chargeOf(await scene.charge(ask(1), "b9")).promoMicro, 0);
    assert.equal(await scene.balance(wallet), 500);
  });

  test("a charge across both buckets is two transfers under one entry", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 1000, { judgeStarter: () => "granted" });
    await scene.greet();
    const charge = chargeOf(await scene.charge(ask(1, { priceMicro: 100_200 })));
    assert.deepEqual([charge.promoMicro, charge.amountMicro, charge.balanceAfterMicro], [100_000, 100_200, 800]);
    const transfers = await all(scene.ledger.transfers());
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

  test("entries of a wallet stand in a chain without gaps", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10_000, { judgeStarter: () => "granted" });
    await scene.greet();
    await scene.send({ charges: [ask(1), ask(2), ask(3)] });
    await scene.send({ voids: [{ seq: 2, reason: "client_gone" }], charges: [ask(4)] });
    const entries = await all(scene.ledger.allEntries());
    let head = FIRST_PREV;
    for (const [place, entry] of entries.entries()) {
      assert.deepEqual([entry.seq, entry.prev], [place + 1, head]);
      head = entryHash(entry);
    }
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["starter", "adjustment", "charge", "charge", "charge", "void", "charge"],
    );
    assert.equal((await scene.ledger.wallet(wallet))?.head, head);
  });
});

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}
