import assert from "node:assert/strict";
import { test } from "node:test";
import { createJudge, type Round } from "../../chaos/judge.ts";
import type { GatewayNote, Try } from "../../chaos/records.ts";
import type { LedgerCharge } from "../../src/domain/unit-of-work.ts";
import { chargeWith } from "../support/charges.ts";

const WALLET = { id: "wal_1", token: "none", creditedMicro: 0, tokenId: null, isCapped: false };
const CALL = { id: "c1", wallet: WALLET, key: null, state: "state" };

function charge(id: string, more: Partial<LedgerCharge> = {}): LedgerCharge {
  return chargeWith("kid", { id, walletId: WALLET.id, state: "delivered", ...more });
}

function tried(id: string, more: Partial<Try> = {}): Try {
  const nothing = { status: 0, receipt: null, chargeId: null, isReplay: false, body: "" };
  return { id, call: CALL, gateway: "gw-1", end: "left", ...nothing, ...more };
}

function finish(chargeId: string): GatewayNote {
  return { kind: "finish", chargeId, tryId: `try of ${chargeId}` };
}

function noted(...notes: readonly GatewayNote[]) {
  return new Map([["gw-1", notes]]);
}

function finished(...ids: readonly string[]) {
  return noted(...ids.map(finish));
}

const SENT = { kind: "sent" } as const;
const LOST = { kind: "lost" } as const;
const TICK = { kind: "beat" } as const;

function confirmed(through: number, ...also: readonly number[]): GatewayNote {
  return { kind: "confirmed", boot: "b1", through, also };
}

const FENCED = { state: "voided", voidReason: "fenced", instance: "gw-1", boot: "b1" } as const;
const DEATH = { victim: "gw-1", kind: "gateway", inFlight: 1 } as const;

async function lawsBroken(more: Partial<Round>): Promise<string[]> {
  const judge = createJudge(() => ({ keys: [] }));
  const { violations } = await judge.judge({ kills: [], tries: [], charges: [], gateways: new Map(), ...more });
  return violations.map(({ law }) => law);
}

test("accepts a charge whose response was sent to a client that then disconnected", async () => {
  const round = { charges: [charge("a")], gateways: finished("a"), tries: [tried("try of a")] };
  assert.deepEqual(await lawsBroken(round), []);
});

test("reports L6 for a charge whose response was never sent", async () => {
  assert.deepEqual(await lawsBroken({ charges: [charge("a")] }), ["L6"]);
});

test("reports L6 for a charge whose connected client did not receive the response", async () => {
  const tries = [tried("try of a", { end: "broken" })];
  assert.deepEqual(await lawsBroken({ charges: [charge("a")], gateways: finished("a"), tries }), ["L6"]);
});

test("reports L7 for a delivered response that was voided while its gateway was alive, but not after its death", async () => {
  const round = { charges: [charge("a", FENCED)], gateways: finished("a") };
  assert.deepEqual(await lawsBroken(round), ["L7"]);
  assert.deepEqual(await lawsBroken({ ...round, kills: [DEATH] }), []);
});

test("reports L7 for a gateway that voids its own delivered charge", async () => {
  const charges = [charge("a", { ...FENCED, voidReason: "client_gone" })];
  assert.deepEqual(await lawsBroken({ charges, gateways: finished("a"), kills: [DEATH] }), ["L7"]);
});

test("reports L7 for a free decision with a confirmed delivery, but not for a later or unconfirmed one", async () => {
  const charges = ["a", "b", "c"].map((id, index) => charge(id, { ...FENCED, seq: index + 1 }));
  const violationsOf = async (...notes: readonly GatewayNote[]) =>
    lawsBroken({ charges, kills: [DEATH], gateways: noted(...notes, finish("c")) });
  assert.deepEqual(await violationsOf(finish("a"), finish("b"), SENT, LOST), []);
  assert.deepEqual(await violationsOf(finish("a"), SENT, confirmed(1), finish("b")), ["L7"]);
  assert.deepEqual(await violationsOf(finish("b"), SENT, confirmed(0, 2), finish("a")), ["L7"]);
  const other = { kind: "confirmed", boot: "b0", through: 3, also: [] } as const;
  assert.deepEqual(await violationsOf(other, finish("a"), finish("b")), [], "attempts of another boot");
});

test("accepts free calls in flight and free responses without a confirmed acknowledgement", async () => {
  const judge = createJudge(() => ({ keys: [] }));
  const charges = [1, 2, 3, 4].map((seq) =>
    charge(`c${seq}`, seq > 1 ? { ...FENCED, seq } : { ...FENCED, state: "delivered", seq }),
  );
  const gateways = noted(finish("c1"), SENT, confirmed(1), finish("c2"), finish("c3"));
  const tries = ["c2", "c3", "c4"].map((chargeId) => tried(chargeId, { status: 200, chargeId }));
  const { free } = await judge.judge({ kills: [DEATH], tries, charges, gateways });
  assert.deepEqual(free, [{ victim: "gw-1", count: 3, bound: 1 + 2 }]);
});

test("reports L7 for a late acknowledgment without a batch in flight while the rail was running", async () => {
  const violationsOf = (...notes: readonly GatewayNote[]) =>
    lawsBroken({ charges: [charge("a")], tries: [tried("try of a")], gateways: noted(...notes) });
  assert.deepEqual(await violationsOf(finish("a"), TICK, TICK, SENT), []);
  assert.deepEqual(await violationsOf(finish("a"), TICK, TICK, TICK, SENT), ["L7"]);
  assert.deepEqual(
    await violationsOf(TICK, TICK, SENT, finish("a"), TICK, TICK, TICK, confirmed(0), TICK, TICK, SENT),
    [],
  );
  assert.deepEqual(await violationsOf(SENT, finish("a"), confirmed(0), TICK, TICK, TICK, SENT), ["L7"]);
  assert.deepEqual(await violationsOf(finish("a"), SENT, LOST, TICK, TICK, TICK, SENT), []);
  assert.deepEqual(await violationsOf(finish("a"), SENT, confirmed(1), TICK, TICK, TICK, SENT), []);
});

test("reports L4 for two effective charges of one key", async () => {
  const charges = [charge("a", { keyHash: "k" }), charge("b", { keyHash: "k" })];
  const tries = [tried("try of a"), tried("try of b")];
  assert.deepEqual(await lawsBroken({ charges, gateways: finished("a", "b"), tries }), ["L4"]);
});

test("reports a charge that is neither delivered nor voided at the end", async () => {
  assert.deepEqual(await lawsBroken({ charges: [charge("a", { state: "posted" })] }), ["rest"]);
});

test("reports a response without a receipt, with an invalid receipt, or with an unexpected status", async () => {
  const violationsOf = (more: Partial<Try>) =>
    lawsBroken({ tries: [tried("t", { end: "answered", status: 200, ...more })] });
  assert.deepEqual(await violationsOf({}), ["L9"]);
  assert.deepEqual(await violationsOf({ receipt: "a.b.c", chargeId: "a" }), ["receipts"]);
  assert.deepEqual(await violationsOf({ status: 500 }), ["replies"]);
  assert.deepEqual(await violationsOf({ status: 409 }), ["replies"], "nothing is in progress without a key");
});
