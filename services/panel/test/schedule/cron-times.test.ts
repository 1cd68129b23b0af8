import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readCron, type Cron } from "../../src/domain/cron.ts";
import { isZone, lastTime, nextTimes, timetableOf, type CronTimes } from "../../src/domain/cron-times.ts";
import { minutesOf, scan, type Minute } from "./minute-scan.ts";

/** Ten years by minute; the short form checks the transitions of one year and another day. */
const IS_LONG = process.env["TEST_LONG"] !== undefined;
const DAY_MS = 86_400_000;
const FROM = Date.parse("2026-01-01T00:00:00Z");
const TO = Date.parse("2036-01-01T00:00:00Z");
const ZONES = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC", "America/St_Johns"];

const value = (from: number, to: number) => fc.integer({ min: from, max: to });
const range = (from: number, to: number) =>
  fc.tuple(value(from, to), value(from, to)).map((ends) => `${Math.min(...ends)}-${Math.max(...ends)}`);
const field = (from: number, to: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant("*") },
    { weight: 3, arbitrary: value(from, to).map(String) },
    { weight: 1, arbitrary: value(1, Math.min(to, 30)).map((step) => `*/${step}`) },
    { weight: 1, arbitrary: fc.array(value(from, to), { minLength: 2, maxLength: 4 }).map((list) => list.join(",")) },
    { weight: 1, arbitrary: range(from, to) },
    { weight: 1, arbitrary: fc.tuple(range(from, to), value(1, 5)).map(([over, step]) => `${over}/${step}`) },
  );
const patterns = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
  .map((fields) => fields.join(" "))
  .filter((pattern) => readCron(pattern).kind === "read");

/** Patterns around clock changes, and unusual ones. */
const PATTERNS = [
  "30 2 * * *",
  "15 2 * * *",
  "0,15,30,45 1-3 * * *",
  "59 1 * * *",
  "0 3 * * *",
  "45 0-2/2 * * 0",
  "5 * * * *",
  "*/15 2 * * *",
  "*/20 * * * *",
  "30 */2 * * *",
  "10-50/20 2 * * 0",
  "*/5 1,2 * * *",
  "0 0 1 * *",
  "30 2 29 2 *",
  ...fc.sample(patterns, { numRuns: IS_LONG ? 16 : 2, seed: 17 }),
];

function cronOf(pattern: string): Cron {
  const read = readCron(pattern);
  if (read.kind === "bad") throw new Error(`${pattern}: ${read.why}`);
  return read.cron;
}

const at = (zone: string, pattern: string): CronTimes => timetableOf({ cron: cronOf(pattern), zone });
const timesAfter = (zone: string, pattern: string, after: string, most: number) =>
  nextTimes(at(zone, pattern), Date.parse(after), most).map((time) => new Date(time).toISOString().slice(5, 16));

/** Each starts some hours before a clock change. */
function* spansOf(zone: string): Generator<readonly Minute[]> {
  if (IS_LONG) {
    for (let year = 2026; year < 2036; year++)
      yield minutesOf(zone, { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) });
    return;
  }
  const offset = ({ at, wall }: Minute) => wall - at;
  const days = Array.from({ length: 365 }, (_, day) => FROM + day * DAY_MS);
  const minutes = days.flatMap((day) => minutesOf(zone, { from: day, to: day + 1 }));
  const changed = minutes.filter((day, index) => offset(day) !== offset(minutes[index - 1] ?? day)).map(({ at }) => at);
  for (const day of [...changed, ...days.slice(57, 58)]) yield minutesOf(zone, { from: day - 1.1 * DAY_MS, to: day });
}

/** Daily times are compared completely; frequent ones are sampled, except around clock changes. */
const STEPS_MAX = 400;

function* stepsOf(due: readonly number[], minutes: readonly Minute[]): Generator<readonly [number, number]> {
  const set = minutes
    .filter(({ at, wall }, index) => index > 0 && wall - at !== offsetBefore(minutes, index))
    .map(({ at }) => at);
  const every = Math.ceil(due.length / STEPS_MAX);
  for (const [index, next] of due.entries())
    if (index % every === 0 || set.some((at) => Math.abs(at - next) < DAY_MS / 4)) yield [index, next];
}

function offsetBefore(minutes: readonly Minute[], index: number): number {
  const { at, wall } = minutes[index - 1] ?? { at: 0, wall: 0 };
  return wall - at;
}

for (const zone of ZONES)
  test(`${zone}: finds the same times as a check of the clock in every minute`, () => {
    let total = 0;
    for (const minutes of spansOf(zone)) {
      const [first, last] = [minutes[0]?.at ?? 0, minutes.at(-1)?.at ?? 0];
      for (const pattern of PATTERNS) {
        const timetable = at(zone, pattern);
        const due = scan(pattern, minutes);
        for (const [index, next] of stepsOf(due, minutes))
          if (next <= last)
            assert.equal(
              timetable.next(due[index - 1] ?? first - 1),
              next,
              `${pattern} after ${new Date(first).toISOString()}`,
            );
        assert.ok((timetable.next(due.at(-1) ?? first - 1) ?? Infinity) > last, pattern);
        total += due.length;
      }
    }
    assert.ok(total > 100);
  });

test("fires skipped times once, at the first minute after the gap, when clocks go forward", () => {
  const around = "2026-03-28T12:00:00Z";
  assert.deepEqual(timesAfter("Europe/Paris", "30 2 * * *", around, 2), ["03-29T01:00", "03-30T00:30"]);
  assert.deepEqual(timesAfter("Europe/Paris", "0,30 2 * * *", around, 2), ["03-29T01:00", "03-30T00:00"]);
  assert.deepEqual(timesAfter("Europe/Paris", "*/30 2 * * *", around, 2), ["03-29T01:00", "03-30T00:00"]);
  assert.deepEqual(timesAfter("Europe/Paris", "30 2,3 * * *", around, 2), ["03-29T01:00", "03-29T01:30"]);
  assert.deepEqual(timesAfter("Europe/Paris", "5 * * * *", "2026-03-29T00:00:00Z", 3), [
    "03-29T00:05",
    "03-29T01:05",
    "03-29T02:05",
  ]);
  assert.deepEqual(timesAfter("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00:00Z", 2), [
    "10-03T15:30",
    "10-04T15:15",
  ]);
});

test("fires repeated times at their first occurrence, and continues intervals, when clocks go back", () => {
  const around = "2026-10-24T12:00:00Z";
  assert.deepEqual(timesAfter("Europe/Paris", "30 2 * * *", around, 2), ["10-25T00:30", "10-26T01:30"]);
  assert.deepEqual(timesAfter("Europe/Paris", "*/30 2 * * *", around, 5), [
    "10-25T00:00",
    "10-25T00:30",
    "10-25T01:00",
    "10-25T01:30",
    "10-26T01:00",
  ]);
  assert.deepEqual(timesAfter("Europe/Paris", "30 * * * *", "2026-10-25T00:00:00Z", 3), [
    "10-25T00:30",
    "10-25T01:30",
    "10-25T02:30",
  ]);
});

test("finds the last time up to a moment as the one before the next", () => {
  const moments = fc.sample(fc.tuple(patterns, fc.integer({ min: FROM, max: TO })), {
    numRuns: IS_LONG ? 25 : 8,
    seed: 6,
  });
  for (const [pattern, upTo] of moments) {
    const timetable = at("Europe/Paris", pattern);
    const first = timetable.next(FROM - 1);
    if (first === null || first > upTo) continue;
    const last = lastTime(timetable, { since: first, upTo });
    assert.ok(last >= first && last <= upTo, pattern);
    assert.ok((timetable.next(last) ?? Infinity) > upTo, pattern);
  }
});

test("caches next times and returns the same ones in any order of queries", () => {
  const timetable = at("Europe/Paris", "*/20 2-4 * * *");
  const around = Date.parse("2026-10-25T00:00:00Z");
  const samples = fc.sample(fc.integer({ min: around - DAY_MS, max: around + DAY_MS }), { numRuns: 20, seed: 7 });
  for (const after of [...samples, ...samples.toSorted((a, b) => a - b)]) {
    const fresh = at("Europe/Paris", "*/20 2-4 * * *");
    assert.deepEqual(nextTimes(timetable, after, 1 + (after % 20)), nextTimes(fresh, after, 1 + (after % 20)));
    assert.equal(timetable.next(after), fresh.next(after));
  }
});

test("refuses an invalid pattern with the reason", () => {
  for (const [pattern, why] of [
    ["", /five fields/],
    ["* * * *", /five fields/],
    ["* * * * * *", /five fields/],
    ["@reboot", /five fields/],
    ["constructor", /five fields/],
    ["60 * * * *", /"60" is outside 0-59 in the minute field/],
    ["* 24 * * *", /hour/],
    ["* * 0 * *", /day of month/],
    ["* * * 13 *", /month/],
    ["* * * * 8", /weekday/],
    ["* * L * *", /day of month/],
    ["5-1 * * * *", /ends before it starts/],
    ["*/0 * * * *", /step outside/],
    ["5/15 * * * *", /step without a range/],
    ["1--2 * * * *", /not a value or range/],
    ["1, * * * *", /not a value or range/],
    ["0 0 31 2,4,6,9,11 *", /never run/],
  ] as const) {
    const read = readCron(pattern);
    assert.ok(read.kind === "bad", pattern);
    assert.match(read.why, why);
  }
  assert.equal(readCron("0 0 29 2 *").kind, "read");
});

test("accepts IANA time zones, but no offsets", () => {
  for (const zone of ["UTC", "Europe/Paris", "america/argentina/buenos_aires", "Etc/GMT+5"])
    assert.ok(isZone(zone), zone);
  for (const zone of ["", "+01:00", "Mars/Base", "Europe/", "UTC; drop"]) assert.ok(!isZone(zone), zone);
});
