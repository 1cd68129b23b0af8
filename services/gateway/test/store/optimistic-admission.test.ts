import assert from "node:assert/strict";
import { test } from "node:test";
import { withOutlook } from "../../src/store/optimistic-admission.ts";

const LIMIT = 10;

/** A minute that tells what it is told to tell, when it is told. */
function openPlay() {
  const play = { now: 0 };
  const asked: PromiseWithResolvers<{ accepted: boolean; remaining: number; resetMs: number }>[] = [];
  const take = () => {
    const place = Promise.withResolvers<{ accepted: boolean; remaining: number; resetMs: number }>();
    asked.push(place);
    return place.promise;
  };
  const outlook = withOutlook(take, { freshMs: 60_000, now: () => play.now });
  return {
    play,
    isRoomy: () => outlook.isRoomy("ada", LIMIT),
    ask: () => outlook.take("ada", LIMIT),
    tell: (remaining: number) => asked.shift()?.resolve({ accepted: remaining > 0, remaining, resetMs: 1 }),
    fail: () => asked.shift()?.reject(new Error("planted")),
  };
}

test("a minute is roomy from when half of it was free, and until it is not, or that is a minute ago", async () => {
  const { play, isRoomy, ask, tell } = openPlay();
  assert.equal(isRoomy(), false, "nothing was heard");
  for (const [remaining, expected] of [
    [9, true],
    [5, true],
    [4, false],
    [0, false],
    [7, true],
  ] as const) {
    const call = ask();
    tell(remaining);
    await call;
    assert.equal(isRoomy(), expected, `${remaining} left`);
  }
  play.now = 59_999;
  assert.equal(isRoomy(), true);
  play.now = 60_000;
  assert.equal(isRoomy(), false);
});

test("places that are asked for are not counted on twice", async () => {
  const { isRoomy, ask, tell } = openPlay();
  const first = ask();
  tell(7);
  await first;
  const seen = [];
  const calls = [];
  for (let count = 0; count < 4; count++) {
    seen.push(isRoomy());
    calls.push(ask());
  }
  assert.deepEqual(seen, [true, true, true, false]);
  for (const remaining of [6, 5, 4, 3]) tell(remaining);
  await Promise.all(calls);
  assert.equal(isRoomy(), false);
});

test("after a place that could not be taken nothing is expected of the minute", async () => {
  const { isRoomy, ask, tell, fail } = openPlay();
  const first = ask();
  tell(9);
  await first;
  const second = ask();
  fail();
  await assert.rejects(second, { message: "planted" });
  assert.equal(isRoomy(), false);
  const third = ask();
  tell(8);
  await third;
  assert.equal(isRoomy(), true);
});
