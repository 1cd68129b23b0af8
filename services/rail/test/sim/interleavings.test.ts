/** Executes the interleavings of the contract deterministically. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { adjust } from "../../src/domain/movements.ts";
import { NO_CAPS, NO_SPEND } from "../../src/domain/caps.ts";
import { FIRST_PREV } from "../../src/domain/entry.ts";
import { createGateway, type Call, type Reply } from "../../simulation/gateway.ts";
import { createJudge } from "../../simulation/judge.ts";
import { createNetwork } from "../../simulation/network.ts";
import { createRail } from "../../simulation/rail.ts";
import { createChance } from "../../simulation/random.ts";
import { Rows } from "../../simulation/rows.ts";
import { FAULTS, ratesOf } from "../../simulation/scenario.ts";
import { createTruth } from "../../simulation/truth.ts";
import { createWorld } from "../../simulation/world.ts";

const CALL: Call = { id: "c1", walletHash: "token", op: "route", key: "k-1", req: "request" };

async function createFixture() {
  const rates = ratesOf({ seed: 1, steps: 0, callers: 0, gateways: 2, without: FAULTS });
  const world = createWorld(createChance(1));
  const rows = new Rows();
  const truth = createTruth(() => world.step);
  const judge = createJudge(rows, truth);
  const rail = createRail({ world, rates, rows, judge, truth });
  const network = createNetwork(world, rates);
  const gateway = (name: string) => createGateway({ world, rates, network, rail, truth, name });
  const until = async (isSo: () => boolean) => {
    for (let steps = 0; !isSo(); steps++) assert.ok(steps < 5000 && (await world.advance()));
  };
  const pass = (ms: number) => {
    const end = world.now + ms;
    world.after(ms, null, () => {});
    return until(() => world.now >= end);
  };
  const id = "wal_1";
  const empty = {
    id,
    status: "active",
    paidMicro: 0,
    promoMicro: 0,
    promoExpiresAt: null,
    seq: 0,
    head: FIRST_PREV,
    caps: NO_CAPS,
    spend: NO_SPEND,
  } as const;
  const opening = rail.commit({
    load: () => rows.forWallet(id),
    work: (unit, context) =>
      adjust(unit, empty, { amountMicro: 5000, by: { operator: "olga", reason: "to begin with" }, context }),
    applied: () => void rows.tokens.set(CALL.walletHash, id),
  });
  world.run(opening);
  await until(() => rows.tokens.size === 1);
  const gateways = [gateway("gw-1"), gateway("gw-2")] as const;
  await until(() => gateways.every((item) => item.billing()?.state().phase === "live"));
  const ask = (index: 0 | 1) => {
    const replies: (Reply | "reset")[] = [];
    const connection = { isOpen: true, onReply: (reply: Reply | "reset") => void replies.push(reply) };
    gateways[index].call(CALL, connection);
    return { connection, replies };
  };
  const charges = () => [...rows.charges.values()].map(({ state }) => state);
  return { world, rows, judge, rail, gateways, ask, until, pass, charges };
}

test("a rail that dies between commit and response returns the same charge for the repeated attempt; a retry is a replay", async () => {
  const { rail, ask, until, pass, charges, judge } = await createFixture();
  const first = ask(0);
  await until(() => charges().length === 1);
  rail.crash();
  await until(() => first.replies.length > 0);
  const [reply] = first.replies;
  assert.ok(reply !== "reset" && reply.status === 200 && !reply.isReplay);
  await pass(100);
  const again = ask(1);
  await until(() => again.replies.length > 0);
  const [replay] = again.replies;
  assert.ok(replay !== "reset");
  assert.deepEqual(
    [replay.status, replay.isReplay, replay.chargeId, replay.body],
    [200, true, reply.chargeId, reply.body],
  );
  assert.equal(replay.receipt, reply.receipt);
  assert.deepEqual(charges(), ["delivered"]);
  judge.audit();
});

test("if the rail dies after the commit and the client retries at another gateway, it gets 409 until the void, and is then charged once", async () => {
  const { rail, ask, until, pass, charges, judge } = await createFixture();
  const first = ask(0);
  await until(() => charges().length === 1);
  rail.crash();
  first.connection.isOpen = false;
  await until(() => rail.isUp);
  const early = ask(1);
  await until(() => early.replies.length > 0);
  const [earlyReply] = early.replies;
  assert.ok(earlyReply !== "reset");
  assert.ok(earlyReply.status === 409 || (earlyReply.status === 200 && !earlyReply.isReplay));
  await pass(3000);
  const late = ask(1);
  await until(() => late.replies.length > 0);
  const [reply] = late.replies;
  assert.ok(reply !== "reset" && reply.status === 200);
  await pass(100);
  assert.deepEqual(charges(), ["voided", "delivered"]);
  judge.audit();
});

test("if a gateway dies between charge and response, its next hello voids the charge and frees the key", async () => {
  const { gateways, ask, until, pass, charges, judge } = await createFixture();
  ask(0);
  await until(() => charges().length === 1);
  gateways[0].crash(50);
  const early = ask(1);
  await until(() => early.replies.length > 0);
  const [earlyReply] = early.replies;
  assert.ok(earlyReply !== "reset");
  assert.deepEqual([earlyReply.status, earlyReply.code], [409, "idempotency_in_progress"]);
  await pass(200);
  assert.deepEqual(charges(), ["voided"]);
  const late = ask(1);
  await until(() => late.replies.length > 0);
  await pass(100);
  assert.deepEqual(charges(), ["voided", "delivered"]);
  judge.audit();
});
