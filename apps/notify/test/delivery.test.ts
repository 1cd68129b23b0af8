import assert from "node:assert/strict";
import { test } from "node:test";
import { createDelivery, delayAfter } from "../src/delivery.ts";
import { listTargetStatus } from "../src/messages.ts";
import { replayMessages } from "../src/store.ts";
import type { Outcome, Target } from "../src/targets/target.ts";
import { openOutbox, recordingTarget, sampleEvent, store } from "./support/outbox.ts";

const START = Date.parse("2026-11-26T08:00:00Z");
const [MINUTE, HOUR] = [60_000, 3_600_000];
const DOWN: Outcome = { kind: "unavailable", error: "ECONNREFUSED", retryAfterMs: null };

async function openDelivery(answer?: (now: number, id: string) => Outcome) {
  const outbox = await openOutbox();
  const clock = { now: START };
  const recording = recordingTarget("target-1", ({ event }) => answer?.(clock.now, event.id) ?? { kind: "delivered" });
  const { database } = outbox;
  const create = (targets: readonly Target[] = [recording.target]) =>
    createDelivery({
      database,
      targets,
      panelUrl: "http://panel.test",
      log: () => {},
      now: () => clock.now,
      random: () => 0.5,
    });
  const delivery = create();
  return {
    ...recording,
    ...outbox,
    clock,
    delivery,
    create,
    /** Advances the virtual clock and attempts due messages at each step. */
    async pass(ms: number, stepMs = 1_000) {
      for (const end = clock.now + ms; clock.now < end; clock.now += stepMs) await delivery.sendDue();
    },
  };
}

test("a target that was down for an hour gets each message once when it recovers", async () => {
  await using run = await openDelivery((now) => (now < START + HOUR ? DOWN : { kind: "delivered" }));
  const events = Array.from({ length: 20 }, (_, number) => sampleEvent(number, START));
  for (const event of events) {
    await store(run.database, run.target, [event], run.clock.now);
    await run.pass(3 * MINUTE, 5_000);
  }
  assert.equal(run.delivered.length, 0);
  assert.ok(run.attempts.length < 20, `${run.attempts.length} attempts while it was down`);
  await run.pass(16 * MINUTE, 5_000);
  assert.deepEqual(
    run.delivered,
    events.map(({ id }) => id),
  );
  await run.pass(HOUR, MINUTE);
  assert.equal(run.delivered.length, 20);
});

test("all messages of a target that is down fail after 24 hours", async () => {
  await using run = await openDelivery(() => DOWN);
  await store(
    run.database,
    run.target,
    [1, 2, 3].map((number) => sampleEvent(number, START)),
    START,
  );
  await run.pass(23 * HOUR, MINUTE);
  assert.equal((await listTargetStatus(run.database))[0].pending, 3);
  await run.pass(2 * HOUR, MINUTE);
  const [{ pending, failed, last_error }] = await listTargetStatus(run.database);
  assert.deepEqual({ pending, failed, last_error }, { pending: 0, failed: 3, last_error: "ECONNREFUSED" });
});

test("a rejected message does not delay other messages", async () => {
  const bad = sampleEvent(1, START);
  await using run = await openDelivery((_, id) =>
    id === bad.id ? { kind: "refused", error: "status 400" } : { kind: "delivered" },
  );
  await store(run.database, run.target, [bad, sampleEvent(2, START)], START);
  await run.delivery.sendDue();
  assert.deepEqual(run.delivered, [sampleEvent(2, START).id]);
});

test("a response of 410 ends the attempts of a message", async () => {
  await using run = await openDelivery(() => ({ kind: "gone", error: "status 410" }));
  await store(run.database, run.target, [sampleEvent(1, START)], START);
  await run.pass(HOUR, MINUTE);
  assert.equal(run.attempts.length, 1);
  assert.equal((await listTargetStatus(run.database))[0].failed, 1);
});

test("Retry-After is a minimum delay, also after a restart", async () => {
  await using run = await openDelivery((now) =>
    now < START + 10 * MINUTE
      ? { kind: "unavailable", error: "status 429", retryAfterMs: 10 * MINUTE }
      : { kind: "delivered" },
  );
  await store(run.database, run.target, [sampleEvent(1, START)], START);
  await run.delivery.sendDue();
  const restarted = run.create();
  run.clock.now = START + 10 * MINUTE - 1;
  await restarted.sendDue();
  assert.equal(run.attempts.length, 1);
  run.clock.now += 1;
  await restarted.sendDue();
  assert.equal(run.delivered.length, 1);
});

test("delays double with jitter up to 15 minutes", () => {
  assert.deepEqual(
    [0, 1, 2, 20].map((attempts) => delayAfter(attempts, DOWN, 0)),
    [2_500, 5_000, 10_000, 450_000],
  );
  assert.equal(delayAfter(20, DOWN, 1), 900_000);
  assert.equal(delayAfter(0, DOWN, 1 / 3), 3_334);
});

test("an event that is stored twice is sent once", async () => {
  await using run = await openDelivery();
  for (const _ of [1, 2]) await store(run.database, run.target, [sampleEvent(1, START)], START);
  await run.pass(HOUR, MINUTE);
  assert.equal(run.attempts.length, 1);
});

test("replay sends failed messages again, and delivered ones with `all`", async () => {
  let isUp = false;
  await using run = await openDelivery(() => (isUp ? { kind: "delivered" } : { kind: "gone", error: "status 410" }));
  await store(run.database, run.target, [sampleEvent(1, START), sampleEvent(2, START - HOUR)], START);
  await run.delivery.sendDue();
  isUp = true;
  const replay = (since: number, all: boolean) =>
    replayMessages(run.database, { since, all, now: run.clock.now }, () => [run.target]);
  assert.equal(await replay(START, false), 1);
  await run.delivery.sendDue();
  assert.deepEqual(run.delivered, [sampleEvent(1, START).id]);
  assert.equal(await replay(START, false), 0);
  assert.equal(await replay(START, true), 1);
  await run.delivery.sendDue();
  assert.equal(run.delivered.length, 2);
});
