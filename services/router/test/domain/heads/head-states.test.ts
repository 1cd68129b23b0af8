import assert from "node:assert/strict";
import { test } from "node:test";
import { HEAD_STATES, type HeadState } from "@triptych/contracts";
import { isUsable, stateAfter, type HeadEvent } from "../../../src/domain/heads/head-states.ts";

const EVENTS = ["trained_first", "trained_later", "rejected", "failed", "shadow_begun", "shadow_ended", "promoted"]
  .concat("superseded")
  .map((event) => event as HeadEvent);

/** The table in section 8 of the contract; a dash is an impossible event. Columns follow the events above. */
const LIFE: Readonly<Record<HeadState, string>> = {
  training: "live ready rejected failed - - - -",
  ready: "- - - - shadow ready live -",
  shadow: "- - - - shadow ready live -",
  live: "- - - - - - live retired",
  retired: "- - - - - - live -",
  rejected: "- - - - - - - -",
  failed: "- - - - - - - -",
};

test("every event leads to the state in the contract, or is impossible", () => {
  for (const state of HEAD_STATES) {
    const reached = EVENTS.map((event) => stateAfter(state, event) ?? "-").join(" ");
    assert.equal(reached, LIFE[state], state);
  }
});

test("rejected and failed are final, and no event leads to training", () => {
  const reached = (state: HeadState) => EVENTS.map((event) => stateAfter(state, event));
  for (const state of ["rejected", "failed"] as const) assert.ok(reached(state).every((next) => next === null));
  for (const state of HEAD_STATES) assert.ok(!reached(state).includes("training"));
});

test("a version is usable by id in every state with a file", () => {
  const usable = HEAD_STATES.filter(isUsable);
  assert.deepEqual(usable.toSorted(), ["live", "ready", "retired", "shadow"]);
});
