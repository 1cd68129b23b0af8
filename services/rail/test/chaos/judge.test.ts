import assert from "node:assert/strict";
import { test } from "node:test";
import { createJudge, type Round } from "../../chaos/judge.ts";
import type { Try } from "../../chaos/records.ts";
import type { LedgerCharge } from "../../src/domain/book.ts";
import { chargeWith } from "../support/charges.ts";

const WALLET = { id: "wal_1", token: "none", givenMicro: 0 };
const CALL = { id: "c1", wallet: WALLET, key: null, state: "state" };

function charge(id: string, more: Partial<LedgerCharge> = {}): LedgerCharge {
  return chargeWith("kid", { id, walletId: WALLET.id, state: "delivered", ...more });
}

function tried(id: string, more: Partial<Try> = {}): Try {
  const nothing = { status: 0, receipt: null, chargeId: null, isReplay: false, body: "" };
  return { id, call: CALL, gateway: "gw-1", end: "left", ...nothing, ...more };
}

function finished(...ids: readonly string[]) {
  const finishes = ids.map((chargeId, place) => ({ chargeId, tryId: `try of ${chargeId}`, at: 1000 + place }));
  return new Map([["gw-1", { finishes, batches: [{ at: 1000, ms: 10 }] }]]);
}

const FENCED = { state: "voided", voidReason: "fenced", instance: "gw-1" } as const;
const DEATH = { victim: "gw-1", kind: "gateway", inFlight: 1, at: 2000 } as const;

async function lawsBroken(more: Partial<Round>): Promise<string[]> {
  const judge = createJudge(() => ({ keys: [] }));
  const { violations } = await judge.judge({ kills: [], tries: [], charges: [], gateways: new Map(), ...more });
  return violations.map(({ law }) => law);
}

test("a charge whose answer left, to a client who hung up then, is billed lawfully", async () => {
  const round = { charges: [charge("a")], gateways: finished("a"), tries: [tried("try of a")] };
  assert.deepEqual(await lawsBroken(round), []);
});

test("a charge is billed and its answer never left: L6", async () => {
  assert.deepEqual(await lawsBroken({ charges: [charge("a")] }), ["L6"]);
});

test("a charge is billed and its client, who stayed, has not got the answer: L6", async () => {
  const tries = [tried("try of a", { end: "broken" })];
  assert.deepEqual(await lawsBroken({ charges: [charge("a")], gateways: finished("a"), tries }), ["L6"]);
});

test("a delivered answer is voided although its gateway lives: L7; where it died it was free", async () => {
  const round = { charges: [charge("a", FENCED)], gateways: finished("a") };
  assert.deepEqual(await lawsBroken(round), ["L7"]);
  assert.deepEqual(await lawsBroken({ ...round, kills: [DEATH] }), []);
});

test("a gateway voided by itself what it had delivered: L7, died or not", async () => {
  const charges = [charge("a", { ...FENCED, voidReason: "client_gone" })];
  assert.deepEqual(await lawsBroken({ charges, gateways: finished("a"), kills: [DEATH] }), ["L7"]);
});

test("more decisions were free than were in flight or left in the last interval: L7", async () => {
  const charges = ["a", "b", "c"].map((id) => charge(id, FENCED));
  const early = finished("a", "b", "c").get("gw-1");
  assert.ok(early !== undefined);
  // Long before the last one: their acknowledgement was due.
  const finishes = early.finishes.map((finish, place) => ({ ...finish, at: place < 2 ? 100 : finish.at }));
  const gateways = new Map([["gw-1", { ...early, finishes }]]);
  assert.deepEqual(await lawsBroken({ charges, gateways, kills: [DEATH] }), ["L7"]);
  assert.deepEqual(await lawsBroken({ charges, gateways, kills: [{ ...DEATH, inFlight: 2 }] }), []);
});

test("two charges that count hold one key: L4", async () => {
  const charges = [charge("a", { keyHash: "k" }), charge("b", { keyHash: "k" })];
  const tries = [tried("try of a"), tried("try of b")];
  assert.deepEqual(await lawsBroken({ charges, gateways: finished("a", "b"), tries }), ["L4"]);
});

test("something is neither delivered nor voided when all is at rest", async () => {
  assert.deepEqual(await lawsBroken({ charges: [charge("a", { state: "posted" })] }), ["rest"]);
});

test("an answer without a receipt, with one that proves nothing, or with a status that none should have", async () => {
  const told = (more: Partial<Try>) => lawsBroken({ tries: [tried("t", { end: "answered", status: 200, ...more })] });
  assert.deepEqual(await told({}), ["L9"]);
  assert.deepEqual(await told({ receipt: "a.b.c", chargeId: "a" }), ["receipts"]);
  assert.deepEqual(await told({ status: 500 }), ["replies"]);
  assert.deepEqual(await told({ status: 409 }), ["replies"], "nothing is in progress without a key");
});
