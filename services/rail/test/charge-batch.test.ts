import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerCharge } from "../src/domain/unit-of-work.ts";
import {
  applyBatch,
  hello,
  type ChargeInput,
  type ChargeOutcome,
  type GatewayBatch,
} from "../src/domain/charge-batch.ts";
import { entryHash, FIRST_PREV, type JournalEntry } from "../src/domain/entry.ts";
import { grantStarter } from "../src/domain/movements.ts";
import { MemoryRows } from "./support/memory-ledger.ts";

const HASH = "a".repeat(64);
const PRICE = 500;

function ask(seq: number, more: Partial<ChargeInput> = {}): ChargeInput {
  const about = { op: "route", priceId: "decision-v1", priceMicro: PRICE, req: "r".repeat(43), res: "s".repeat(43) };
  return { seq, walletHash: HASH, keyHash: null, sealed: null, ...about, ...more };
}

/** A registered gateway and a wallet with this balance. */
function createFixture(paidMicro: number) {
  const rows = new MemoryRows();
  const walletId = rows.openWallet(HASH, paidMicro);
  let now = 1000;
  const greet = (boot: string) => rows.commit((unit) => hello(unit, { instance: "gw", boot }, rows.context(now)));
  const send = (batch: Partial<GatewayBatch>) =>
    rows.commit((unit) =>
      applyBatch(unit, { instance: "gw", boot: "b1", ack: null, voids: [], charges: [], ...batch }, rows.context(now)),
    );
  const sendCharge = (more: ChargeInput, boot = "b1"): ChargeOutcome => {
    const [outcome] = send({ boot, charges: [more] }) ?? [];
    assert.ok(outcome !== undefined);
    return outcome;
  };
  greet("b1");
  return {
    rows,
    greet,
    send,
    sendCharge,
    pass: (ms: number) => (now += ms),
    balance: () => (rows.wallets.get(walletId)?.paidMicro ?? 0) + (rows.wallets.get(walletId)?.promoMicro ?? 0),
    state: (outcome: ChargeOutcome) => rows.charges.get(chargeOf(outcome).id)?.state,
  };
}

function chargeOf(outcome: ChargeOutcome): LedgerCharge {
  assert.ok("charge" in outcome, JSON.stringify(outcome));
  return outcome.charge;
}

/** Checks L1, L2 and L8 over all rows. */
function assertSound(rows: MemoryRows): void {
  const totals = new Map<string, number>();
  for (const { debit, credit, amountMicro } of rows.transfers) {
    assert.ok(amountMicro > 0);
    totals.set(debit, (totals.get(debit) ?? 0) - amountMicro);
    totals.set(credit, (totals.get(credit) ?? 0) + amountMicro);
  }
  assert.equal(
    [...totals.values()].reduce((sum, total) => sum + total, 0),
    0,
  );
  for (const wallet of rows.wallets.values()) {
    assert.equal(wallet.paidMicro, totals.get(`wallet:${wallet.id}:paid`) ?? 0);
    assert.equal(wallet.promoMicro, totals.get(`wallet:${wallet.id}:promo`) ?? 0);
    const chain = rows.entries.filter((entry) => entry.walletId === wallet.id);
    let head = FIRST_PREV;
    for (const [index, entry] of chain.entries()) {
      assert.deepEqual([entry.seq, entry.prev], [index + 1, head]);
      head = entryHash(entry);
    }
    assert.equal(wallet.head, head);
    const last: JournalEntry | undefined = chain.at(-1);
    if (last) assert.equal(last.balanceAfterMicro, wallet.paidMicro + wallet.promoMicro);
  }
}

test("charges the price once, and returns the same charge for a repeated attempt", () => {
  const { rows, sendCharge, balance } = createFixture(1000);
  const first = sendCharge(ask(1));
  assert.deepEqual([first.status, balance()], [201, 500]);
  assert.equal(chargeOf(sendCharge(ask(1))).id, chargeOf(first).id);
  assert.equal(balance(), 500);
  assertSound(rows);
});

test("charges nothing above the balance", () => {
  const { rows, sendCharge, balance } = createFixture(900);
  assert.equal(sendCharge(ask(1)).status, 201);
  assert.deepEqual(sendCharge(ask(2)), { status: 402, code: "wallet_empty", balanceMicro: 400 });
  assert.deepEqual(sendCharge(ask(3, { walletHash: "b".repeat(64) })), { status: 402, code: "wallet_unknown" });
  assert.equal(balance(), 400);
  assertSound(rows);
});

test("a key is in progress until delivery, is replayed afterwards, and is free after a void", () => {
  const { rows, sendCharge, send, balance } = createFixture(10_000);
  const key = { keyHash: "c".repeat(64), sealed: "sealed-1" };
  const first = sendCharge(ask(1, key));
  assert.deepEqual(sendCharge(ask(2, key)), { status: 409, code: "idempotency_in_progress" });
  assert.deepEqual(sendCharge(ask(3, { ...key, req: "x".repeat(43) })), {
    status: 422,
    code: "idempotency_key_reused",
  });
  assert.equal(sendCharge(ask(4, { ...key, op: "score" })).status, 201);
  send({ ack: { through: 1, also: [] } });
  const again = sendCharge(ask(5, key));
  assert.deepEqual([again.status, chargeOf(again).id], [200, chargeOf(first).id]);
  assert.equal(rows.responses.get(chargeOf(first).id), "sealed-1");
  send({ voids: [{ seq: 4, reason: "client_gone" }] });
  assert.equal(sendCharge(ask(6, { ...key, op: "score" })).status, 201);
  assert.equal(balance(), 9000);
  assertSound(rows);
});

test("checks for a replay before the balance", () => {
  const { sendCharge, send, balance } = createFixture(500);
  const key = { keyHash: "c".repeat(64) };
  sendCharge(ask(1, key));
  send({ ack: { through: 1, also: [] } });
  assert.deepEqual([sendCharge(ask(2, key)).status, balance()], [200, 0]);
});

test("a void in the same batch takes precedence over a watermark that passes it", () => {
  const { rows, sendCharge, send, state, balance } = createFixture(10_000);
  const [delivered, gone] = [sendCharge(ask(1)), sendCharge(ask(2))];
  send({ ack: { through: 2, also: [] }, voids: [{ seq: 2, reason: "client_gone" }] });
  assert.deepEqual([state(delivered), state(gone), balance()], ["delivered", "voided", 9500]);
  send({ voids: [{ seq: 1, reason: "client_gone" }] });
  assert.deepEqual([state(delivered), balance()], ["delivered", 9500], "what was delivered stays charged");
  assertSound(rows);
});

test("never charges an attempt that was voided or passed by the watermark before it arrived", () => {
  const { sendCharge, send, balance } = createFixture(10_000);
  send({ voids: [{ seq: 7, reason: "aborted" }], ack: { through: 3, also: [] } });
  assert.equal(sendCharge(ask(7)).status, 409);
  assert.equal(sendCharge(ask(2)).status, 409);
  assert.equal(balance(), 10_000);
});

test("rejects a repeated attempt whose charge was voided", () => {
  const { sendCharge, send, balance } = createFixture(10_000);
  sendCharge(ask(1));
  send({ voids: [{ seq: 1, reason: "aborted" }] });
  assert.equal(sendCharge(ask(1)).status, 409);
  assert.equal(balance(), 10_000);
});

test("a new boot fences the old one and voids its open charges", () => {
  const { rows, sendCharge, send, greet, state, balance } = createFixture(10_000);
  const [acked, open] = [sendCharge(ask(1)), sendCharge(ask(2))];
  send({ ack: { through: 1, also: [] } });
  assert.deepEqual(greet("b2"), { voided: 1 });
  assert.deepEqual([state(acked), state(open), balance()], ["delivered", "voided", 9500]);
  assert.equal(send({ charges: [ask(3)] }), null);
  assert.equal(greet("b1"), null, "a boot of the past does not come back");
  assert.equal(sendCharge(ask(1), "b2").status, 201);
  assertSound(rows);
});

test("an expired lease fences its boot and rejects its acknowledgements", () => {
  const { rows, sendCharge, send, pass, state, balance } = createFixture(10_000);
  const open = sendCharge(ask(1));
  pass(30_000);
  assert.equal(send({ ack: { through: 1, also: [] } }), null);
  assert.deepEqual([state(open), balance()], ["voided", 10_000]);
  assertSound(rows);
});

test("promo money is spent first, returned to its source, and expires", () => {
  const { rows, sendCharge, send, pass, balance } = createFixture(1000);
  rows.commit((unit) => {
    const wallet = unit.walletOf(HASH);
    assert.ok(wallet !== undefined);
    grantStarter(unit, wallet, rows.context(1000));
  });
  assert.equal(balance(), 101_000);
  assert.equal(chargeOf(sendCharge(ask(1))).promoMicro, 500);
  send({ voids: [{ seq: 1, reason: "client_gone" }] });
  assert.deepEqual(
    [...rows.wallets.values()].map(({ promoMicro }) => promoMicro),
    [100_000],
  );
  pass(90 * 86_400_000);
  rows.commit((unit) => hello(unit, { instance: "gw", boot: "b9" }, rows.context(1000 + 90 * 86_400_000)));
  assert.equal(chargeOf(sendCharge(ask(1), "b9")).promoMicro, 0);
  assert.equal(balance(), 500);
  assertSound(rows);
});
