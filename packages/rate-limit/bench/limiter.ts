/**
 * Compares the exact window with common alternatives on the same arrivals: a filtered array of times (exact, slow), and
 * a counter weighted with the previous minute (fast, inexact). Prints checks per second, the busiest 60 s, bytes per
 * key, and ratios. `node --expose-gc packages/rate-limit/bench/limiter.ts`
 */
import { createSlidingWindow } from "../src/index.ts";

const LIMIT = 120;
const SPAN = 60_000;
const START = 1_790_000_000_000;

type Check = (key: string, now: number) => boolean;

interface Contestant {
  readonly name: string;
  readonly create: () => Check;
}

const contestants: readonly Contestant[] = [
  {
    name: "ours (ring of times)",
    create: () => {
      const window = createSlidingWindow();
      return (key, now) => window.take(key, LIMIT, now).accepted;
    },
  },
  {
    name: "array, filtered",
    create: () => {
      const keys = new Map<string, number[]>();
      return (key, now) => {
        const times = (keys.get(key) ?? []).filter((time) => time > now - SPAN);
        keys.set(key, times);
        if (times.length >= LIMIT) return false;
        times.push(now);
        return true;
      };
    },
  },
  {
    name: "sliding counter",
    create: () => {
      const keys = new Map<string, { minute: number; count: number; before: number }>();
      return (key, now) => {
        const minute = Math.floor(now / SPAN);
        const seen = keys.get(key) ?? { minute, count: 0, before: 0 };
        if (seen.minute !== minute)
          Object.assign(seen, { minute, before: seen.minute === minute - 1 ? seen.count : 0, count: 0 });
        keys.set(key, seen);
        if (seen.before * (1 - (now % SPAN) / SPAN) + seen.count >= LIMIT) return false;
        seen.count += 1;
        return true;
      };
    },
  },
];

/**
 * 1000 keys with about 3 requests per second each: above the limit, so that both acceptance and rejection are measured.
 */
function speedOf(create: () => Check): number {
  const check = create();
  const keys = Array.from({ length: 1000 }, (_, index) => `key_${index}`);
  const rounds = 300;
  for (let round = 0; round < 130; round++) for (const key of keys) check(key, START + round * 333);
  const begin = performance.now();
  for (let round = 130; round < 130 + rounds; round++) for (const key of keys) check(key, START + round * 333);
  return (rounds * keys.length) / ((performance.now() - begin) / 1000);
}

/** A client that sends its 120 requests in the last second of a minute and continues during the next. */
function worstMinuteOf(create: () => Check): number {
  const check = create();
  const minute = START - (START % SPAN);
  const arrivals = [
    ...Array.from({ length: LIMIT }, (_, index) => minute + 59_000 + index * 8),
    ...Array.from({ length: 600 }, (_, index) => minute + SPAN + index * 100),
  ];
  const accepted = arrivals.filter((now) => check("key", now));
  return Math.max(...accepted.map((from) => accepted.filter((time) => time >= from && time < from + SPAN).length));
}

/** Heap and buffers of 20 000 keys that have reached their limit. */
function bytesOf(create: () => Check): number {
  const count = 20_000;
  const check = create();
  collect();
  const before = process.memoryUsage();
  for (let key = 0; key < count; key++) for (let index = 0; index < LIMIT; index++) check(`key_${key}`, START + index);
  collect();
  const after = process.memoryUsage();
  check("key_0", START);
  return (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / count;
}

/** Collects twice: the first run calls finalizers, the second frees their objects. */
function collect(): void {
  globalThis.gc?.();
  globalThis.gc?.();
}

const results = contestants.map(({ name, create }) => {
  const speeds = [speedOf(create), speedOf(create), speedOf(create)].toSorted((a, b) => a - b);
  return {
    name,
    speed: speeds[1] ?? 0,
    worst: worstMinuteOf(create),
    bytes: globalThis.gc ? Math.round(bytesOf(create)) : null,
  };
});

const [ours] = results;
for (const { name, speed, worst, bytes } of results) {
  const ratio = ((ours?.speed ?? 0) / speed).toFixed(2);
  const memory = bytes === null ? "run with --expose-gc for bytes" : `${bytes} bytes a key`;
  process.stdout.write(
    `${name.padEnd(22)} ${(speed / 1e6).toFixed(2)} M checks/s, ours is ${ratio} x, worst 60 s ${worst}, ${memory}\n`,
  );
}
