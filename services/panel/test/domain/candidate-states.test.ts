import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CANDIDATE_STATES,
  RESULT_CODES,
  type CandidateState,
  type ResultCode,
  type RunState,
} from "@triptych/contracts";
import * as fc from "fast-check";
import { CANDIDATE_EVENTS, candidateAfter, candidateEventOf } from "../../src/domain/candidates/states.ts";

const TRANSITIONS: Readonly<
  Record<(typeof CANDIDATE_EVENTS)[number], Partial<Record<CandidateState, CandidateState>>>
> = {
  selected: { proposed: "selected" },
  rejected: { proposed: "rejected" },
  delivered: { selected: "done" },
  already_fixed: { proposed: "done", selected: "done" },
  came_back: { selected: "proposed" },
  red_again: { done: "proposed" },
  rejection_over: { rejected: "proposed" },
};

test("follows the transition table of the contract for every event in every state", () => {
  for (const state of CANDIDATE_STATES)
    for (const event of CANDIDATE_EVENTS)
      assert.equal(candidateAfter(state, event), TRANSITIONS[event][state] ?? null, `${event} in ${state}`);
});

test("partitions candidates into four counts under random events, and keeps rejections", () => {
  const lasting = CANDIDATE_EVENTS.filter((event) => event !== "rejection_over");
  const happened = fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...lasting)), { maxLength: 200 });
  fc.assert(
    fc.property(happened, (events) => {
      const states: CandidateState[] = Array.from({ length: 10 }, () => "proposed");
      for (const [index, event] of events) {
        const before = states[index] ?? "proposed";
        const after = candidateAfter(before, event) ?? before;
        assert.ok(before !== "rejected" || after === "rejected");
        states[index] = after;
      }
      const counts = CANDIDATE_STATES.map((state) => states.filter((other) => other === state).length);
      assert.equal(
        counts.reduce((sum, n) => sum + n, 0),
        states.length,
      );
    }),
  );
});

test("delivers after a push, marks as fixed on a green gate, and proposes again after any other end", () => {
  const meaning = (state: RunState, code: ResultCode) => candidateEventOf({ state, result: { code, message: "" } });
  for (const code of RESULT_CODES) {
    for (const state of ["pushed", "pr_open"] as const) assert.equal(meaning(state, code), "delivered");
    for (const state of ["failed", "cancelled", "expired", "lost"] as const)
      assert.equal(meaning(state, code), "came_back");
    assert.equal(meaning("no_change", code), code === "gate_not_red" ? "already_fixed" : "came_back");
    for (const state of ["queued", "leased", "preparing", "running", "verifying", "pushing", "succeeded"] as const)
      assert.equal(meaning(state, code), null);
  }
});
