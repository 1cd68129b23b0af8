import assert from "node:assert/strict";
import { test } from "node:test";
import {
  initialState,
  ownsMessage,
  reduce,
  TRANSITIONS,
  type RunEffect,
  type RunEvent,
  type RunPhase,
  type RunState,
} from "../src/session/run-state.ts";
import type { Report } from "../src/session/run-folder.ts";

const LEASE = { run_id: "run_1", epoch: 3 };
const REPORT: Report = { mid: "last", state: "succeeded", data: { a: 1 }, before: [] };
const message = (mid: string) => ({ mid, text: `state ${mid}` });

/** In this phase, connected and accepted, with one unacknowledged state message. */
function stateIn(phase: RunPhase, change: Partial<RunState> = {}): RunState {
  const report = phase === "reporting" ? REPORT : null;
  const states = [message("m1")];
  return { ...initialState(LEASE, null), phase, isUp: true, isAccepted: true, states, report, ...change };
}

const EVENTS = {
  up: { kind: "up", eventsUpto: 7 },
  down: { kind: "down" },
  assigned: { kind: "assigned" },
  entered: { kind: "entered", message: message("m2") },
  events_acked: { kind: "events_acked", upto: 5 },
  events_sent: { kind: "events_sent" },
  acked: { kind: "state_acked", mid: "m1", result: "ok" },
  last_acked: { kind: "state_acked", mid: "last", result: "ok" },
  rejected: { kind: "state_acked", mid: "m1", result: "rejected" },
  cancel: { kind: "cancel", graceS: 9 },
  give_back: { kind: "give_back" },
  drop: { kind: "drop" },
  ended: { kind: "ended", last: { state: "failed", data: {} }, mid: "last" },
  superseded: { kind: "ended", last: null, mid: "last" },
  stored: { kind: "stored", report: REPORT },
} satisfies Readonly<Record<string, RunEvent>>;

type EventName = keyof typeof EVENTS;

/** An effect in short: its kind, and what it carries. */
function short(effect: RunEffect): string {
  if (effect.kind === "send")
    return effect.text.startsWith("{") ? `send ${JSON.parse(effect.text).t}` : `send ${effect.text}`;
  if (effect.kind === "store")
    return `store ${effect.report.state} after ${effect.report.before?.map(({ mid }) => mid).join()}`;
  const [value] =
    effect.kind === "log" ? [] : Object.entries(effect).flatMap(([name, each]) => (name === "kind" ? [] : [each]));
  return value === undefined ? effect.kind : `${effect.kind} ${value}`;
}

const RESUME = ["send state m1", "resume_events 7", "check_events_sent"];
const ACKED = ["release_events 5"];
const ABORT = ["abort_work"];
const LOST = ["log", "abort_work"];
const CLOSE = ["close nothing"];

/** The phase after each event, and its effects. No other combination exists. */
const TABLE: Readonly<Record<RunPhase, Readonly<Record<EventName, readonly [RunPhase, ...string[]]>>>> = {
  working: {
    up: ["working", ...RESUME],
    down: ["working", "pause_events"],
    assigned: ["working", "send accept"],
    entered: ["working", "send state m2"],
    events_acked: ["working", ...ACKED],
    events_sent: ["working"],
    acked: ["working"],
    last_acked: ["working"],
    rejected: ["stopping", ...LOST],
    cancel: ["cancelling", "abort_work", "kill_after 9"],
    give_back: ["stopping", ...ABORT],
    drop: ["stopping", ...ABORT],
    ended: ["storing", "store failed after m1"],
    superseded: ["closed", ...CLOSE],
    stored: ["working"],
  },
  cancelling: {
    up: ["cancelling", ...RESUME],
    down: ["cancelling", "pause_events"],
    assigned: ["cancelling", "send accept"],
    entered: ["cancelling"],
    events_acked: ["cancelling", ...ACKED],
    events_sent: ["cancelling"],
    acked: ["cancelling"],
    last_acked: ["cancelling"],
    rejected: ["stopping", ...LOST],
    cancel: ["cancelling"],
    give_back: ["stopping", ...ABORT],
    drop: ["stopping", ...ABORT],
    ended: ["storing", "store cancelled after m1"],
    superseded: ["storing", "store cancelled after m1"],
    stored: ["cancelling"],
  },
  stopping: {
    up: ["stopping", ...RESUME],
    down: ["stopping", "pause_events"],
    assigned: ["stopping", "send accept"],
    entered: ["stopping"],
    events_acked: ["stopping", ...ACKED],
    events_sent: ["stopping"],
    acked: ["stopping"],
    last_acked: ["stopping"],
    rejected: ["stopping", ...LOST],
    cancel: ["stopping"],
    give_back: ["stopping"],
    drop: ["stopping", ...ABORT],
    ended: ["closed", ...CLOSE],
    superseded: ["closed", ...CLOSE],
    stored: ["closed", ...CLOSE],
  },
  storing: {
    up: ["storing", ...RESUME],
    down: ["storing", "pause_events"],
    assigned: ["storing", "send accept"],
    entered: ["storing"],
    events_acked: ["storing", ...ACKED],
    events_sent: ["storing"],
    acked: ["storing"],
    last_acked: ["storing"],
    rejected: ["stopping", ...LOST],
    cancel: ["storing"],
    give_back: ["storing"],
    drop: ["stopping", ...ABORT],
    ended: ["storing"],
    superseded: ["storing"],
    stored: ["reporting", "update_status", "check_events_sent"],
  },
  reporting: {
    up: ["reporting", ...RESUME],
    down: ["reporting", "pause_events"],
    assigned: ["reporting", "send accept"],
    entered: ["reporting"],
    events_acked: ["reporting", ...ACKED],
    events_sent: ["reporting", "send state"],
    acked: ["reporting"],
    last_acked: ["closed", ...CLOSE],
    rejected: ["closed", ...LOST, ...CLOSE],
    cancel: ["reporting"],
    give_back: ["reporting"],
    drop: ["closed", ...ABORT, ...CLOSE],
    ended: ["reporting"],
    superseded: ["reporting"],
    stored: ["reporting"],
  },
  closed: {
    up: ["closed"],
    down: ["closed", "pause_events"],
    assigned: ["closed", "send accept"],
    entered: ["closed"],
    events_acked: ["closed", ...ACKED],
    events_sent: ["closed"],
    acked: ["closed"],
    last_acked: ["closed"],
    rejected: ["closed", "log"],
    cancel: ["closed"],
    give_back: ["closed"],
    drop: ["closed"],
    ended: ["closed"],
    superseded: ["closed"],
    stored: ["closed"],
  },
};

for (const phase of Object.keys(TABLE) as RunPhase[])
  test(`a run that is ${phase} answers each event by the table`, () => {
    for (const name of Object.keys(EVENTS) as EventName[]) {
      const { state, effects } = reduce(stateIn(phase), EVENTS[name]);
      assert.deepEqual([state.phase, ...effects.map(short)], TABLE[phase][name], `${phase} x ${name}`);
    }
  });

test("every phase can be reached, and only a closed run has no transition", () => {
  const reached = new Set(Object.values(TRANSITIONS).flatMap((row) => Object.values(row)));
  const phases = Object.keys(TRANSITIONS) as RunPhase[];
  assert.deepEqual(
    phases.filter((phase) => !reached.has(phase)),
    ["working"],
  );
  assert.deepEqual(
    phases.filter((phase) => Object.keys(TRANSITIONS[phase]).length === 0),
    ["closed"],
  );
});

/** Applies the events in order; returns all effects in short. */
function play(state: RunState, ...events: readonly RunEvent[]): { state: RunState; effects: string[] } {
  const effects: string[] = [];
  for (const event of events) {
    const step = reduce(state, event);
    ({ state } = step);
    effects.push(...step.effects.map(short));
  }
  return { state, effects };
}

const { up, down, entered, events_acked, events_sent, acked, cancel, drop, give_back, ended, stored, superseded } =
  EVENTS;

test("repeats its acceptance on every connection until the panel acknowledges a message", () => {
  const begun = initialState(LEASE, null);
  const { state, effects } = play(begun, up, down, up);
  assert.equal(effects.filter((effect) => effect === "send accept").length, 2);
  for (const acknowledgement of [events_acked, { ...acked, mid: "any" }])
    assert.ok(!play(state, acknowledgement, down, up).effects.includes("send accept"));
});

test("keeps state messages of a lost connection, in order, until the panel acknowledges the last of them", () => {
  const { state } = play(initialState(LEASE, null), entered, { kind: "entered", message: message("m3") });
  assert.deepEqual(play(state, up).effects.slice(1, 3), ["send state m2", "send state m3"]);
  assert.deepEqual(play(state, { ...acked, mid: "m3" }).state.states, []);
  assert.deepEqual(play(state, { ...acked, mid: "m2" }).state.states, [message("m3")]);
});

test("sends its final message once on each connection, and never while it is down", () => {
  const state = stateIn("reporting", { states: [] });
  assert.deepEqual(play(state, events_sent, events_sent).effects, ["send state"]);
  assert.deepEqual(play(state, down, events_sent).effects, ["pause_events"]);
  const twice = play(state, events_sent, down, up, events_sent).effects;
  assert.equal(twice.filter((effect) => effect === "send state").length, 2);
});

test("leaves a mark if the run was given back, and nothing if it was then dropped", () => {
  assert.deepEqual(play(stateIn("working"), give_back, superseded).effects.at(-1), "close mark");
  assert.deepEqual(play(stateIn("working"), give_back, drop, superseded).effects.at(-1), "close nothing");
  assert.deepEqual(play(stateIn("working"), drop, give_back, superseded).effects.at(-1), "close nothing");
});

test("holds its slot until its final message is on disk, even if it was cancelled", () => {
  const { state } = play(stateIn("working"), cancel, ended);
  assert.equal(state.report, null);
  assert.equal(play(state, stored).state.report, REPORT);
  assert.equal(play(state, drop, stored).state.report, null);
});

test("knows its own messages", () => {
  const reporting = stateIn("reporting");
  assert.deepEqual(
    ["m1", "last", "other"].map((mid) => ownsMessage(reporting, mid)),
    [true, true, false],
  );
});
