import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createSlidingWindow } from "../src/index.ts";

const LIMIT = 120;
const START = 1_790_000_000_000;
const bounded = { seed: 20_261_121, numRuns: 300 };

/** Gaps between arrivals: bursts, trickles, sudden silences, and times that meet the edge of the window exactly. */
const gap = fc.oneof(
  { weight: 150, arbitrary: fc.nat(30) },
  { weight: 30, arbitrary: fc.nat(2000) },
  { weight: 1, arbitrary: fc.constantFrom(500, 29_999, 30_000, 59_999, 60_000, 60_001, 200_000) },
);
const arrivals = fc.array(gap, { minLength: 1, maxLength: 1200, size: "max" }).map((gaps) => {
  let at = START;
  return gaps.map((wait) => (at += wait));
});

/** The most accepted times that any half-open span of 60 s holds. */
function busiestMinute(times: readonly number[]): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? 0) <= time - 60_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

test("no 60 s hold more than the limit, whatever the pattern of arrivals", () => {
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
  assert.equal(most, LIMIT, "the worst 60 s are exactly full");
});

test("a request is refused only when the 60 s before it are full", () => {
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

test("a client at 2 requests a second is never refused by 120 a minute", () => {
  const window = createSlidingWindow();
  for (let now = START; now < START + 600_000; now += 500)
    assert.ok(window.take("key", LIMIT, now).accepted, `at ${now - START} ms`);
});

test("a client that waits until the oldest request leaves is accepted, and one that comes a millisecond earlier is not", () => {
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

test("each key has a window of its own", () => {
  const window = createSlidingWindow();
  for (let index = 0; index < LIMIT; index++) assert.ok(window.take("a", LIMIT, START).accepted);
  assert.equal(window.take("a", LIMIT, START).accepted, false);
  assert.equal(window.take("b", LIMIT, START).accepted, true);
});

test("keys with other limits, changing limits and long silences never see each other's requests", () => {
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

test("a lower limit acts at once and a higher one gives room at once", () => {
  const window = createSlidingWindow();
  for (let index = 0; index < 10; index++) window.take("key", 10, START + index);
  assert.equal(window.take("key", 5, START + 10).accepted, false);
  assert.equal(window.take("key", 12, START + 11).remaining, 6);
});

test("a clock that steps back lets nothing more through and holds nobody longer than 60 s", () => {
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

test("times restored after a restart count as before it", () => {
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

test("silent keys are dropped as others come", () => {
  const window = createSlidingWindow();
  for (let minute = 0; minute < 20; minute++) {
    for (let index = 0; index < 1000; index++)
      window.take(`${minute}-${index}`, LIMIT, START + minute * 60_000 + index);
  }
  assert.ok(window.size <= 3000, `${window.size} keys are held of 20 000, with 1 000 active a minute`);
});
