import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeadlineQueue } from "../src/deadline-queue.ts";

/** A manual clock and its due timers. */
function clockwork() {
  let time = 0;
  const due = new Set<{ readonly at: number; readonly act: () => void }>();
  return {
    now: () => time,
    timers: {
      after(ms: number, act: () => void) {
        const timer = { at: time + ms, act };
        due.add(timer);
        return () => void due.delete(timer);
      },
    },
    get set() {
      return due.size;
    },
    moveTo(at: number) {
      time = at;
      for (const timer of due)
        if (timer.at <= at) {
          due.delete(timer);
          timer.act();
        }
    },
  };
}

test("a request without a response fails after its own timeout, and one with a response does not", () => {
  const clock = clockwork();
  using deadlines = createDeadlineQueue({ milliseconds: 100, ...clock });
  const expired: string[] = [];
  deadlines.begin(({ name }) => expired.push(`first ${name}`));
  clock.moveTo(30);
  const ended = deadlines.begin(() => expired.push("second"));
  clock.moveTo(60);
  deadlines.begin(({ message }) => expired.push(`third: ${message}`));

  clock.moveTo(99);
  assert.deepEqual(expired, []);
  clock.moveTo(100);
  assert.deepEqual(expired, ["first TimeoutError"]);
  ended();
  clock.moveTo(159);
  assert.deepEqual(expired, ["first TimeoutError"]);
  clock.moveTo(160);
  assert.deepEqual(expired, ["first TimeoutError", "third: Timeout: no response within 100 ms."]);
});

test("any number of requests share one timer; without requests or after disposal there is none", () => {
  const clock = clockwork();
  const deadlines = createDeadlineQueue({ milliseconds: 100, ...clock });
  const ends = Array.from({ length: 50 }, () => deadlines.begin(() => assert.fail("all of them have ended")));
  assert.equal(clock.set, 1);
  for (const ended of ends) ended();
  clock.moveTo(100);
  assert.equal(clock.set, 0);

  deadlines.begin(() => assert.fail("nobody is told after the end"));
  assert.equal(clock.set, 1);
  deadlines[Symbol.dispose]();
  assert.equal(clock.set, 0);
});
