import assert from "node:assert/strict";
import { test } from "node:test";
import {
  initialAvailability,
  isOpen,
  reduceAvailability,
  type AvailabilityEvent,
} from "../src/connection/availability.ts";
import { afterConnection, endOf, type ConnectionEnd, type RetryState } from "../src/connection/reconnect.ts";

const availabilities: readonly (readonly [string, readonly AvailabilityEvent["kind"][], boolean])[] = [
  ["before the first connection", [], true],
  ["while disabled", ["disabled"], false],
  ["enabled again", ["disabled", "enabled"], true],
  ["while draining", ["draining"], false],
  ["enabled after a drain", ["draining", "enabled"], true],
  ["disabled after a drain", ["draining", "disabled"], false],
  ["after a lost connection", ["down"], true],
  ["welcomed while draining", ["draining", "welcomed"], false],
  ["after its first run", ["run_started"], true],
];

function isOpenAfter(kinds: readonly AvailabilityEvent["kind"][], isOnce: boolean): boolean {
  const events = kinds.map((kind): AvailabilityEvent => (kind === "welcomed" ? { kind, isEnabled: true } : { kind }));
  return isOpen(events.reduce(reduceAvailability, initialAvailability(isOnce)));
}

for (const [when, kinds, expected] of availabilities)
  test(`a worker takes ${expected ? "" : "no "}runs ${when}`, () => {
    assert.equal(isOpenAfter(kinds, false), expected);
  });

test("a single-run worker takes no second run, enabled or not", () => {
  assert.equal(isOpenAfter([], true), true);
  assert.equal(isOpenAfter(["run_started", "enabled"], true), false);
});

test("takes no runs if the panel's welcome says that it is disabled", () => {
  const state = reduceAvailability(initialAvailability(false), { kind: "welcomed", isEnabled: false });
  assert.deepEqual([state.isUp, isOpen(state)], [true, false]);
  assert.equal(reduceAvailability(state, { kind: "down" }).isUp, false);
});

const ends: readonly (readonly [number, string, ConnectionEnd["kind"]])[] = [
  [1000, "", "lost"],
  [1006, "", "lost"],
  [4401, "", "refused"],
  [4403, "too many", "full"],
  [4409, "", "dismissed"],
  [4409, "reconnected", "lost"],
  [4410, "", "dismissed"],
];
for (const [code, reason, kind] of ends)
  test(`the close code ${code} with the reason "${reason}" means: ${kind}`, () => {
    assert.equal(endOf(code, reason, null).kind, kind);
  });

const LOST: ConnectionEnd = { kind: "lost", why: "cut" };

/** The delays of tries that all fail, in order; the random part is at its most. */
function delays(count: number, end: ConnectionEnd = LOST): readonly number[] {
  let retry: RetryState = { tries: 0, since: 0 };
  let now = 0;
  return Array.from({ length: count }, () => {
    const next = afterConnection(retry, { end, openedAt: now, wasUp: false }, { now, random: 1 });
    ({ retry } = next);
    const waitMs = next.waitMs ?? Number.NaN;
    now += waitMs;
    return waitMs;
  });
}

test("retries three times within two seconds, then backs off up to half a minute", () => {
  const all = delays(30);
  assert.ok(all[0] + all[1] + all[2] <= 2_000);
  assert.equal(all.at(-1), 30_000);
  assert.deepEqual(
    all,
    all.toSorted((a, b) => a - b),
  );
});

test("resets its backoff only after a connection that lasted", () => {
  const retry = { tries: 20, since: 0 };
  const next = (openedAt: number) =>
    afterConnection(retry, { end: LOST, openedAt, wasUp: true }, { now: 100_000, random: 1 });
  assert.deepEqual(next(80_000), { ...next(80_000), waitMs: 650, retry: { tries: 1, since: 100_000 } });
  assert.deepEqual(next(99_000), { ...next(99_000), waitMs: 30_000, retry: { tries: 21, since: 0 } });
});

test("waits a minute if a person must act, and exits if the panel dismisses it", () => {
  assert.deepEqual(delays(2, { kind: "refused" }), [60_000, 60_000]);
  assert.deepEqual(delays(1, { kind: "full", why: "" }), [60_000]);
  const end: ConnectionEnd = { kind: "dismissed", why: "deleted" };
  const dismissed = afterConnection({ tries: 0, since: 0 }, { end, openedAt: 0, wasUp: true }, { now: 1, random: 1 });
  assert.deepEqual([dismissed.event, dismissed.waitMs], [end, null]);
});
