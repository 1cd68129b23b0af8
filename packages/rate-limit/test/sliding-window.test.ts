import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createSlidingWindow } from "../src/index.ts";

const LIMIT = 120;
const START = 1_790_000_000_000;
const bounded = { seed: 20_261_121, numRuns: 300 };

/** Gaps between arrivals: bursts, slow trickles, pauses, and times exactly at the edge of the window. */
const gap = fc.oneof(
  { weight: 150, arbitrary: fc.nat(30) },
  { weight: 30, arbitrary: fc.nat(2000) },
  { weight: 1, arbitrary: fc.constantFrom(500, 29_999, 30_000, 59_999, 60_000, 60_001, 200_000) },
);
const arrivals = fc.array(gap, { minLength: 1, maxLength: 1200, size: "max" }).map((gaps) => {
  let at = START;
  return gaps.map((wait) => (at += wait));
});

/** Maximum accepted requests in any half-open span of 60 s. */
function busiestMinute(times: readonly number[]): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? 0) <= time - 60_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

test("no span of 60 s exceeds the limit, whatever the arrival pattern", () => {
  let most = 0;
  fc.assert(
    fc.property(arrivals, (times) => {
      const window = createSlidingWindow();
      const accepted = times.filter((now) => window.take("key", LIMIT, now).accepted);
      most = Math.max(most, busiestMinute(accepted));
      return busiestMinute(accepted) <= LIMIT;
    }),
    bounded,
  );
  assert.equal(most, LIMIT, "the busiest 60 s reach exactly the limit");
});

test("rejects a request only if the preceding 60 s are full", () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 30 }), (times, limit) => {
      const window = createSlidingWindow();
      const accepted: number[] = [];
      for (const now of times) {
        const before = accepted.filter((time) => time > now - 60_000).length;
        const state = window.take("key", limit, now);
        assert.equal(state.accepted, before < limit);
        assert.equal(state.remaining, limit - before - (state.accepted ? 1 : 0));
        if (state.accepted) accepted.push(now);
      }
    }),
    { ...bounded, numRuns: 60 },
  );
});

test("2 requests a second never exceed 120 a minute", () => {
  const window = createSlidingWindow();
  for (let now = START; now < START + 600_000; now += 500)
    assert.ok(window.take("key", LIMIT, now).accepted, `at ${now - START} ms`);
});

test("accepts a client that waits until the oldest request leaves, but not a millisecond earlier", () => {
  fc.assert(
    fc.property(arrivals, (times) => {
      const window = createSlidingWindow();
      for (const now of times) window.take("key", 7, now);
      const now = times.at(-1) ?? START;
      const { accepted, resetMs } = window.take("key", 7, now);
      fc.pre(!accepted);
      assert.ok(resetMs > 0 && resetMs <= 60_000);
      assert.equal(window.take("key", 7, now + resetMs - 1).accepted, false);
      assert.equal(window.take("key", 7, now + resetMs).accepted, true);
    }),
    bounded,
  );
});

test("each key has its own window", () => {
  const window = createSlidingWindow();
  for (let index = 0; index < LIMIT; index++) assert.ok(window.take("a", LIMIT, START).accepted);
  assert.equal(window.take("a", LIMIT, START).accepted, false);
  assert.equal(window.take("b", LIMIT, START).accepted, true);
});

test("keys with different limits, changing limits and long pauses do not affect each other", () => {
  const step = fc.record({
    key: fc.nat(40),
    limit: fc.integer({ min: 1, max: 4 }),
    wait: fc.constantFrom(0, 0, 1, 10, 20_000, 60_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: "max" }), (steps) => {
      const window = createSlidingWindow();
      const accepted = new Map<number, number[]>();
      let now = START;
      for (const { key, limit, wait } of steps) {
        now += wait;
        const times = accepted.get(key) ?? [];
        const isAccepted = times.filter((time) => time > now - 60_000).length < limit;
        assert.equal(window.take(`${key}`, limit, now).accepted, isAccepted);
        accepted.set(key, isAccepted ? [...times, now] : times.slice(-limit));
      }
    }),
    bounded,
  );
});

test("a changed limit applies immediately, lower or higher", () => {
  const window = createSlidingWindow();
  for (let index = 0; index < 10; index++) window.take("key", 10, START + index);
  assert.equal(window.take("key", 5, START + 10).accepted, false);
  assert.equal(window.take("key", 12, START + 11).remaining, 6);
});

test("when the clock steps back, no extra request is accepted, and no caller waits more than 60 s", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ wait: fc.nat(4000), step: fc.constantFrom(0, 0, 0, 0, -1, -500, -3_600_000) }), {
        maxLength: 300,
        size: "max",
      }),
      (moves) => {
        const window = createSlidingWindow();
        const accepted: number[] = [];
        let real = START;
        let wrong = 0;
        for (const { wait, step } of moves) {
          real += wait;
          wrong += step;
          const { accepted: taken, resetMs } = window.take("key", 5, real + wrong);
          assert.ok(resetMs <= 60_000);
          if (taken) accepted.push(real);
        }
        assert.ok(busiestMinute(accepted) <= 5);
        assert.ok(window.take("key", 5, real + wrong + 60_000).accepted);
      },
    ),
    bounded,
  );
});

test("restored times count as before the restart", () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
      const before = createSlidingWindow();
      const accepted = times.filter((now) => before.take("key", limit, now).accepted);
      const after = createSlidingWindow();
      for (const at of accepted) after.restore("key", limit, at);
      const now = (times.at(-1) ?? START) + 1;
      assert.deepEqual(after.take("key", limit, now), before.take("key", limit, now));
    }),
    bounded,
  );
});

test("drops idle keys as others arrive", () => {
  const window = createSlidingWindow();
  for (let minute = 0; minute < 20; minute++) {
    for (let index = 0; index < 1000; index++)
      window.take(`${minute}-${index}`, LIMIT, START + minute * 60_000 + index);
  }
  assert.ok(window.size <= 3000, `${window.size} of 20 000 keys in memory, with 1 000 active per minute`);
});
