/** A ledger with its own clock and IDs, for suites that run on every store. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Database } from "@triptych/storage";
import type { LedgerCharge } from "../../src/domain/unit-of-work.ts";
import type { ChargeInput, ChargeOutcome, GatewayBatch } from "../../src/domain/charge-batch.ts";
import { NO_CAPS, type Caps } from "../../src/domain/caps.ts";
import type { Ledger, NewWallet } from "../../src/domain/ledger.ts";
import type { NewSubToken } from "../../src/domain/sub-tokens.ts";
import type { Acting } from "../../src/domain/operator-log.ts";
import type { Context } from "../../src/domain/post-entry.ts";
import type { LedgerTopup } from "../../src/domain/topup-state.ts";
import { openLedger } from "../../src/store/open-ledger.ts";
import type { RailTables } from "../../src/store/tables.ts";

export const PRICE = 500;
export const BY = { operator: "olivia", reason: "a test" };

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function ask(seq: number, more: Partial<ChargeInput> = {}): ChargeInput {
  const about = { op: "route", priceId: "decision-v1", priceMicro: PRICE, req: "r".repeat(43), res: "s".repeat(43) };
  return { seq, walletHash: hashOf("w1"), keyHash: null, sealed: null, ...about, ...more };
}

export function batchOf(more: Partial<GatewayBatch> = {}): GatewayBatch {
  return { instance: "gw-1", boot: "b1", ack: null, voids: [], charges: [], ...more };
}

export function chargeOf(outcome: ChargeOutcome | undefined): LedgerCharge {
  assert.ok(outcome !== undefined && "charge" in outcome, JSON.stringify(outcome));
  return outcome.charge;
}

interface TokenCaps {
  readonly caps?: Partial<Caps>;
}

export interface Fixture extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly database: Database<RailTables>;
  now: number;
  context(): Context;
  /** An act by `BY` at the current time. */
  acting(): Acting;
  /** A wallet without starter credit and with this paid balance; its token hash is derived from its name. */
  openWallet(name: string, paidMicro: number, more?: Partial<NewWallet>): Promise<string>;
  /** A sub-token of the wallet; its token hash is derived from its name. Returns its id. */
  openToken(walletId: string, name: string, more?: Partial<Omit<NewSubToken, "caps">> & TokenCaps): Promise<string>;
  greet(instance?: string, boot?: string): Promise<void>;
  send(more: Partial<GatewayBatch>): ReturnType<Ledger["applyBatches"]>;
  charge(more: ChargeInput, boot?: string): Promise<ChargeOutcome>;
  balance(walletId: string): Promise<number>;
  state(charge: LedgerCharge): Promise<string | undefined>;
  pendingTopup(walletId: string, more?: Partial<LedgerTopup>): Promise<LedgerTopup>;
}

/** `names` distinguishes ledgers in one store. */
export function createFixture(database: Database<RailTables>, { names = "0" } = {}): Fixture {
  const ledger = openLedger(database);
  let made = 0;
  const fixture: Fixture = {
    ledger,
    database,
    now: Date.parse("2026-01-02T03:04:05.678Z"),
    context: () => ({
      now: fixture.now,
      newId: (prefix) => `${prefix}${names}${String((made += 1)).padStart(25, "0")}`,
      issuer: "http://rail.test",
      kid: "kid-1",
      revenue: `revenue:decisions:${names}`,
    }),
    acting: () => ({ id: fixture.context().newId("act_"), ...BY, at: fixture.now }),
    async openWallet(name, paidMicro, more = {}) {
      const id = fixture.context().newId("wal_");
      const about = { emailSealed: new Uint8Array([1, 2]), emailLookup: hashOf(`${name}@`), network: "net" };
      const token = { tokenHash: hashOf(name), tokenHint: "abcd" };
      await ledger.createWallet(
        { id, label: null, ...about, ...token, judgeStarter: () => "already_used", ...more },
        fixture.context(),
      );
      if (paidMicro > 0) await ledger.adjust(id, { amountMicro: paidMicro, ...BY, context: fixture.context() });
      return id;
    },
    async openToken(walletId, name, { caps, ...more } = {}) {
      const id = fixture.context().newId("tok_");
      const about = { id, walletId, tokenHash: hashOf(name), hint: "abcd", name, ops: null, expiresAt: null };
      const made = await ledger.createSubToken({
        ...about,
        now: fixture.now,
        ...more,
        caps: { ...NO_CAPS, ...caps },
      });
      assert.ok(typeof made === "object", "the token was not created");
      return id;
    },
    async greet(instance = "gw-1", boot = "b1") {
      assert.notEqual(await ledger.hello({ instance, boot }, fixture.context()), null);
    },
    send: (more) => ledger.applyBatches([batchOf(more)], fixture.context()),
    async charge(more, boot = "b1") {
      const [outcomes] = await fixture.send({ boot, charges: [more] });
      const [outcome] = outcomes ?? [];
      assert.ok(outcome !== undefined);
      return outcome;
    },
    async balance(walletId) {
      const wallet = await ledger.wallet(walletId);
      assert.ok(wallet !== null);
      return wallet.paidMicro + wallet.promoMicro;
    },
    state: async ({ id }) => (await ledger.charge(id))?.state,
    async pendingTopup(walletId, more = {}) {
      const topup: LedgerTopup = {
        id: fixture.context().newId("top_"),
        walletId,
        provider: "manual",
        sessionRef: null,
        state: "pending",
        amountMicro: 50_000,
        checkoutUrl: null,
        createdAt: fixture.now,
        expiresAt: null,
        entryId: null,
        checkAt: null,
        checks: 0,
        ...more,
      };
      await ledger.createTopup(topup);
      return topup;
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
  return fixture;
}
