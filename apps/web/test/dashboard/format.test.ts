import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseMs } from "../../dashboard/src/api/backoff.ts";
import { ago, duration, exactDuration, money, percent, short } from "../../dashboard/src/labels/format.ts";

test("formats durations with their two largest units, without a zero second unit", () => {
  const ms = [0, 999, 1_000, 3_840, 59_000, 60_000, 64_000, 3_600_000, 7_503_000, 86_400_000, 93_600_000];
  assert.deepEqual(ms.map(duration), [
    "< 1 s",
    "< 1 s",
    "1 s",
    "3.8 s",
    "59 s",
    "1 min",
    "1 min 04 s",
    "1 h",
    "2 h 05 min",
    "1 d",
    "1 d 02 h",
  ]);
});

test("formats checks and latencies in milliseconds below a second", () => {
  assert.deepEqual([0, 51.4, 999, 64_000].map(exactDuration), ["0 ms", "51 ms", "999 ms", "1 min 04 s"]);
});

test("formats relative times in both directions", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const at = (seconds: number) => ago(now + seconds * 1_000, now);
  assert.deepEqual([0, -4, -12, -61, -7_200, -200_000, 600].map(at), [
    "now",
    "now",
    "12 s ago",
    "1 min ago",
    "2 h ago",
    "2 d ago",
    "in 10 min",
  ]);
});

test("formats money from micro-euros, shortens counts and rounds shares to whole percents", () => {
  assert.deepEqual([0, 12_000, 1_234_567, 250_000_000].map(money), ["€0.0000", "€0.0120", "€1.2346", "€250.00"]);
  assert.deepEqual([0, 999, 1_000, 12_449, 999_949, 999_950, 3_140_000].map(short), [
    "0",
    "999",
    "1k",
    "12.4k",
    "1000k",
    "1M",
    "3.1M",
  ]);
  assert.equal(percent(0.864), "86%");
});

test("backs off up to 30 s, with jitter", () => {
  assert.deepEqual(
    [1, 2, 3, 20].map((failures) => pauseMs(failures, 1)),
    [500, 1_000, 2_000, 30_000],
  );
  assert.deepEqual(
    [1, 20].map((failures) => pauseMs(failures, 0)),
    [250, 15_000],
  );
});
