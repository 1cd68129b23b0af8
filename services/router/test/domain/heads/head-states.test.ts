import assert from "node:assert/strict";
import { test } from "node:test";
import { HEAD_STATES, type HeadState } from "@triptych/contracts";
import { isUsable, stateAfter, type HeadEvent } from "../../../src/domain/heads/head-states.ts";

const EVENTS = ["trained_first", "trained_later", "rejected", "failed", "shadow_begun", "shadow_ended", "promoted"]
  .concat("superseded")
  .map((event) => event as HeadEvent);

/** As section 8 of the contract draws it; a dash where nothing can happen. Columns in the order of the events above. */
const LIFE: Readonly<Record<HeadState, string>> = {
  training: "live ready rejected failed - - - -",
  ready: "- - - - shadow ready live -",
  shadow: "- - - - shadow ready live -",
  live: "- - - - - - live retired",
  retired: "- - - - - - live -",
  rejected: "- - - - - - - -",
  failed: "- - - - - - - -",
};

test("every event in every state leads where the contract says, or cannot happen", () => {
  for (const state of HEAD_STATES) {
    const reached = EVENTS.map((event) => stateAfter(state, event) ?? "-").join(" ");
    assert.equal(reached, LIFE[state], state);
  }
});

test("nothing leads out of a rejection or a failure, and nothing leads into training", () => {
  const reached = (state: HeadState) => EVENTS.map((event) => stateAfter(state, event));
  for (const state of ["rejected", "failed"] as const) assert.ok(reached(state).every((next) => next === null));
  for (const state of HEAD_STATES) assert.ok(!reached(state).includes("training"));
});

test("a version is asked by its id in every state in which it has a file", () => {
  const usable = HEAD_STATES.filter(isUsable);
  assert.deepEqual(usable.toSorted(), ["live", "ready", "retired", "shadow"]);
});
