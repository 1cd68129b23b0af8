import assert from "node:assert/strict";
import { test } from "node:test";
import { createPatience } from "../src/deadline-queue.ts";

/** A clock that moves when it is told to, and the timers that are due by then. */
function clockwork() {
  let time = 0;
  const due = new Set<{ readonly at: number; readonly act: () => void }>();
  return {
    now: () => time,
    timers: {
      after(ms: number, act: () => void) {
        const one = { at: time + ms, act };
        due.add(one);
        return () => void due.delete(one);
      },
    },
    get set() {
      return due.size;
    },
    moveTo(at: number) {
      time = at;
      for (const one of due)
        if (one.at <= at) {
          due.delete(one);
          one.act();
        }
    },
  };
}

test("who has no answer is given up when its own time is over, and who has one is not", () => {
  const clock = clockwork();
  using patience = createPatience({ milliseconds: 100, ...clock });
  const heard: string[] = [];
  patience.begin(({ name }) => heard.push(`first ${name}`));
  clock.moveTo(30);
  const ended = patience.begin(() => heard.push("second"));
  clock.moveTo(60);
  patience.begin(({ message }) => heard.push(`third: ${message}`));

  clock.moveTo(99);
  assert.deepEqual(heard, []);
  clock.moveTo(100);
  assert.deepEqual(heard, ["first TimeoutError"]);
  ended();
  clock.moveTo(159);
  assert.deepEqual(heard, ["first TimeoutError"]);
  clock.moveTo(160);
  assert.deepEqual(heard, ["first TimeoutError", "third: There was no answer within 100 ms."]);
});

test("however many wait, one timer is set; and none when nobody waits any more, or it is over", () => {
  const clock = clockwork();
  const patience = createPatience({ milliseconds: 100, ...clock });
  const ends = Array.from({ length: 50 }, () => patience.begin(() => assert.fail("all of them have ended")));
  assert.equal(clock.set, 1);
  for (const ended of ends) ended();
  clock.moveTo(100);
  assert.equal(clock.set, 0);

  patience.begin(() => assert.fail("nobody is told after the end"));
  assert.equal(clock.set, 1);
  patience[Symbol.dispose]();
  assert.equal(clock.set, 0);
});
