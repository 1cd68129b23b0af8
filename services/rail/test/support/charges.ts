/** A charge as stored in the ledger, for receipt tests. */
import type { LedgerCharge } from "../../src/domain/unit-of-work.ts";
import { FIRST_PREV } from "../../src/domain/entry.ts";
import type { PurchaseRecord } from "../../src/domain/ledger.ts";

export function chargeWith(kid: string, more: Partial<LedgerCharge> = {}): LedgerCharge {
  return {
    instance: "gw-1",
    boot: "b-1",
    seq: 1,
    id: `chg_${"0".repeat(26)}`,
    walletId: `wal_${"0".repeat(26)}`,
    state: "posted",
    op: "route",
    qty: 1,
    priceId: "decision-v1",
    amountMicro: 500,
    promoMicro: 500,
    revenue: "revenue:decisions:test",
    keyHash: null,
    idk: null,
    req: "q".repeat(43),
    res: "s".repeat(43),
    issuer: "http://127.0.0.1:7005",
    kid,
    entryId: `ent_${"0".repeat(26)}`,
    walletSeq: 2,
    balanceAfterMicro: 99_500,
    prev: FIRST_PREV,
    createdAt: Date.UTC(2026, 10, 21),
    deliveredAt: null,
    voidedAt: null,
    voidReason: null,
    tokenId: null,
    spendableMicro: null,
    ...more,
  };
}

export function purchaseWith(kid: string): PurchaseRecord {
  return {
    id: `pur_${"0".repeat(26)}`,
    entitlementId: `own_${"0".repeat(26)}`,
    walletId: `wal_${"0".repeat(26)}`,
    sku: "custom-head",
    ref: "my_tools",
    priceId: "custom-head-v1",
    amountMicro: 49_000_000,
    issuer: "http://127.0.0.1:7005",
    kid,
    walletSeq: 3,
    balanceAfterMicro: 1_000_000,
    prev: FIRST_PREV,
    createdAt: Date.UTC(2026, 10, 21),
  };
}
