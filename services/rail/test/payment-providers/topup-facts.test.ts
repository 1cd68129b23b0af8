import assert from "node:assert/strict";
import { test } from "node:test";
import { settleTopup } from "../../src/domain/settle-topup.ts";
import { factName, type TopupFact } from "../../src/domain/provider-events.ts";
import type { LedgerTopup, TopupEvent } from "../../src/domain/topup-state.ts";
import { MemoryRows } from "../support/memory-ledger.ts";
import { orders } from "../support/requests.ts";

const AMOUNT = 50_000;

/** A top-up that receives events by fact name (`dp_1:disputed`), like its store. */
function openTopup() {
  const rows = new MemoryRows();
  const walletId = rows.openWallet("a".repeat(64), 0);
  const facts = new Map<string, TopupFact>();
  const about = { walletId, provider: "stripe", sessionRef: "cs_1", checkoutUrl: null, amountMicro: AMOUNT } as const;
  const times = { createdAt: 0, expiresAt: null, checkAt: 1, checks: 0 };
  let topup: LedgerTopup = { ...about, ...times, id: "top_1", state: "pending", entryId: null };
  const totalOf = (account: string) =>
    rows.transfers.reduce(
      (sum, { debit, credit, amountMicro }) =>
        sum + (credit === account ? amountMicro : 0) - (debit === account ? amountMicro : 0),
      0,
    );
  return {
    rows,
    applyEvent(name: string) {
      const kind = name.split(":")[1] as TopupEvent["kind"];
      facts.set(name, { kind, event: factName(kind, name.split(":")[0]) });
      rows.commit((unit) => {
        const wallet = unit.wallet(walletId);
        assert.ok(wallet !== undefined);
        const owedMicro = -totalOf(`receivable:${walletId}`);
        const settling = { topup, event: { kind }, facts: [...facts.values()], owedMicro, context: rows.context(1000) };
        topup = settleTopup(unit, wallet, settling) ?? topup;
      });
    },
    state: () => topup.state,
    balance: () => rows.wallets.get(walletId)?.paidMicro,
    cash: () => totalOf("cash:stripe"),
  };
}

const PAID = "cs_1:paid";
const stories: readonly (readonly [news: string[], end: string])[] = [
  [[PAID, PAID, "dp_1:disputed", "dp_1:disputed", "dp_1:dispute_won", "dp_1:dispute_won"], "succeeded"],
  [[PAID, "dp_1:disputed", "dp_1:dispute_won", "dp_2:disputed", "dp_2:dispute_lost"], "refunded"],
  [[PAID, "dp_1:disputed", "dp_1:dispute_won", "dp_2:disputed", "dp_2:disputed"], "disputed"],
  [[PAID, "dp_1:disputed", "dp_1:dispute_won", "ch_1:refunded", "ch_1:refunded"], "refunded"],
  [[PAID, PAID, "cs_1:failed", "cs_1:expired", "dp_1:disputed", "dp_1:dispute_lost"], "refunded"],
];

test("events about a payment in any order and number end in the same state with the same money", () => {
  let checked = 0;
  for (const [news, end] of stories) {
    const left = end === "succeeded" ? AMOUNT : 0;
    for (const order of orders(news)) {
      const topup = openTopup();
      for (const name of order) topup.applyEvent(name);
      assert.deepEqual([topup.state(), topup.balance(), topup.cash()], [end, left, 0 - left], order.join(", "));
      checked += 1;
    }
  }
  assert.ok(checked > 500, `${checked} orders`);
});

test("withdraws nothing for a payment that never arrived", () => {
  for (const order of orders(["dp_1:disputed", "dp_1:dispute_lost", "ch_1:refunded", "cs_1:expired"])) {
    const topup = openTopup();
    for (const name of order) topup.applyEvent(name);
    assert.deepEqual([topup.state(), topup.balance(), topup.rows.entries.length], ["expired", 0, 0]);
  }
});
