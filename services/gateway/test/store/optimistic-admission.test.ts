import assert from "node:assert/strict";
import { test } from "node:test";
import { withOptimisticAdmission } from "../../src/store/optimistic-admission.ts";

const LIMIT = 10;

/** A window whose results the test controls. */
function openPlay() {
  const play = { now: 0 };
  const pending: PromiseWithResolvers<{ accepted: boolean; remaining: number; resetMs: number }>[] = [];
  const take = () => {
    const slot = Promise.withResolvers<{ accepted: boolean; remaining: number; resetMs: number }>();
    pending.push(slot);
    return slot.promise;
  };
  const admission = withOptimisticAdmission(take, { freshMs: 60_000, now: () => play.now });
  return {
    play,
    isRoomy: () => admission.isRoomy("ada", LIMIT),
    ask: () => admission.take("ada", LIMIT),
    settle: (remaining: number) => pending.shift()?.resolve({ accepted: remaining > 0, remaining, resetMs: 1 }),
    fail: () => pending.shift()?.reject(new Error("planted")),
  };
}

test("a window has capacity from half free until it is full or the data is a minute old", async () => {
  const { play, isRoomy, ask, settle } = openPlay();
  assert.equal(isRoomy(), false, "nothing was heard");
  for (const [remaining, expected] of [
    [9, true],
    [5, true],
    [4, false],
    [0, false],
    [7, true],
  ] as const) {
    const call = ask();
    settle(remaining);
    await call;
    assert.equal(isRoomy(), expected, `${remaining} left`);
  }
  play.now = 59_999;
  assert.equal(isRoomy(), true);
  play.now = 60_000;
  assert.equal(isRoomy(), false);
});

test("pending slots are not counted on twice", async () => {
  const { isRoomy, ask, settle } = openPlay();
  const first = ask();
  settle(7);
  await first;
  const seen = [];
  const calls = [];
  for (let count = 0; count < 4; count++) {
    seen.push(isRoomy());
    calls.push(ask());
  }
  assert.deepEqual(seen, [true, true, true, false]);
  for (const remaining of [6, 5, 4, 3]) settle(remaining);
  await Promise.all(calls);
  assert.equal(isRoomy(), false);
});

test("after a failed slot, calls wait for the count", async () => {
  const { isRoomy, ask, settle, fail } = openPlay();
  const first = ask();
  settle(9);
  await first;
  const second = ask();
  fail();
  await assert.rejects(second, { message: "planted" });
  assert.equal(isRoomy(), false);
  const third = ask();
  settle(8);
  await third;
  assert.equal(isRoomy(), true);
});
