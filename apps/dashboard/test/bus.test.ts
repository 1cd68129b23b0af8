import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as holds, constantFrom, integer, nat, property, tuple } from "fast-check";
import type { BusMessage } from "@triptych/contracts";
import { createBusLog } from "../src/bus/bus-log.ts";
import { appendRows, isFailure, lanesOf, stepsOf, type Row } from "../src/bus/rows.ts";

function said(
  seq: number,
  about: Partial<BusMessage> & { readonly role?: BusMessage["from"]["role"] } = {},
): BusMessage {
  const { role = "coder", ...rest } = about;
  return {
    seq,
    run_id: "run_1",
    epoch: 1,
    at: new Date(seq * 1_000).toISOString(),
    from: { role, agent: null, cli: null, model: null },
    to: "all",
    kind: "message",
    text: `line ${seq}`,
    data: {},
    reply_to: null,
    round: 1,
    ...rest,
  };
}

test("however often a stream breaks and begins again somewhere before, each message stands there once and in order", () => {
  const breaks = array(nat({ max: 20 }), { maxLength: 60 });
  holds(
    property(integer({ min: 1, max: 80 }), breaks, (count, steps) => {
      const log = createBusLog();
      let at = 1;
      for (const back of [...steps, 0]) {
        // What comes again after a break begins at or before what is known, and goes on for a while.
        at = Math.max(1, log.lastSeq + 1 - back);
        for (let seq = at; seq < at + 12 && seq <= count; seq++) log.add(said(seq));
      }
      for (let seq = log.lastSeq + 1; seq <= count; seq++) log.add(said(seq));
      assert.deepEqual(
        log.messages.map(({ seq }) => seq),
        Array.from({ length: count }, (_, place) => place + 1),
      );
    }),
  );
});

test("a message that does not follow on is not taken, but a gap stands for what is no longer kept", () => {
  const log = createBusLog();
  assert.equal(log.add(said(3)), "hole");
  assert.equal(log.add(said(7, { kind: "gap" })), "new");
  assert.equal(log.add(said(7)), "known");
  assert.equal(log.add(said(8)), "new");
  assert.equal(log.lastSeq, 8);
});

test("calls of tools that follow one another in a lane are one row, in portions as at once", () => {
  const kinds = constantFrom("message" as const, "tool_call" as const, "tool_result" as const, "log" as const);
  const roles = constantFrom("coder" as const, "reviewer" as const);
  holds(
    property(array(tuple(kinds, roles), { maxLength: 60 }), nat({ max: 60 }), (lines, cut) => {
      const messages = lines.map(([kind, role], place) => said(place + 1, { kind, role }));
      const atOnce: Row[] = [];
      appendRows(atOnce, messages);
      const inPortions: Row[] = [];
      appendRows(inPortions, messages.slice(0, cut));
      appendRows(inPortions, messages.slice(cut));
      assert.deepEqual(inPortions, atOnce);
      assert.deepEqual(
        atOnce.flatMap((row) => row.messages),
        messages,
      );
      for (const [place, row] of atOnce.entries()) {
        const before = atOnce[place - 1];
        if (row.isFold && before?.isFold) assert.notEqual(before.role, row.role);
      }
    }),
  );
});

test("errors are what went wrong after something was changed", () => {
  const verify = (round: number, exit_code: number) =>
    isFailure(said(1, { kind: "verify", round, data: { exit_code } }));
  assert.deepEqual([verify(0, 1), verify(1, 1), verify(1, 0)], [false, true, false]);
  assert.ok(isFailure(said(1, { kind: "error" })));
  assert.ok(isFailure(said(1, { kind: "verdict", data: { verdict: "baseline_broken" } })));
  assert.ok(!isFailure(said(1, { kind: "verdict", data: { verdict: "passed" } })));
});

test("lanes stand in one order, whoever spoke first", () => {
  assert.deepEqual(lanesOf(["coder", "panel", "reviewer", "worker", "panel"]), [
    "panel",
    "worker",
    "coder",
    "reviewer",
  ]);
});

test("each state lasts until the next one; the last until now, or no time when the run is over", () => {
  const states = ["queued", "leased", "running"].map((state, place) =>
    said(place * 2 + 1, { kind: "state", data: { state } }),
  );
  assert.deepEqual(
    stepsOf(states, false).map(({ state, ms }) => [state, ms]),
    [
      ["queued", 2_000],
      ["leased", 2_000],
      ["running", null],
    ],
  );
  assert.equal(stepsOf(states, true).at(-1)?.ms, 0);
});
