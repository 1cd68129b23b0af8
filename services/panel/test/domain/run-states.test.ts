import assert from "node:assert/strict";
import { test } from "node:test";
import { RUN_STATES, type RunState } from "@triptych/contracts";
import * as fc from "fast-check";
import {
  cancelOutcome,
  isActive,
  isLeased,
  isRetryable,
  isTerminal,
  phaseOf,
  RUN_EVENTS,
  stateAfter,
} from "../../src/domain/run-states.ts";

/** Section 4 of the contract: the states of each event, and its target. */
const LEASED: readonly RunState[] = ["leased", "preparing", "running", "verifying"];
const TRANSITIONS: Readonly<Record<(typeof RUN_EVENTS)[number], readonly [from: readonly RunState[], to: RunState]>> = {
  leased: [["queued"], "leased"],
  accepted: [["leased"], "preparing"],
  given_back: [LEASED, "queued"],
  lapsed: [LEASED, "queued"],
  lapsed_for_good: [LEASED, "lost"],
  aged_out: [["queued"], "expired"],
  ready: [["preparing"], "running"],
  unchanged: [["preparing", "running"], "no_change"],
  agent_ended: [["running"], "verifying"],
  red_again: [["verifying"], "running"],
  gates_run: [["verifying"], "succeeded"],
  passed: [["verifying"], "pushing"],
  failed: [LEASED, "failed"],
  cancelled: [["queued", ...LEASED], "cancelled"],
  push_confirmed: [["pushing"], "pushed"],
  push_refused: [["pushing"], "failed"],
  pr_found: [["pushed"], "pr_open"],
};

test("follows the transition table of the contract for every event in every state", () => {
  for (const state of RUN_STATES)
    for (const event of RUN_EVENTS) {
      const [from, to] = TRANSITIONS[event];
      assert.equal(stateAfter(state, event), from.includes(state) ? to : null, `${event} in ${state}`);
    }
});

test("has no transition out of a terminal state, and the terminal states of the contract", () => {
  const terminal = ["pr_open", "succeeded", "no_change", "failed", "cancelled", "expired", "lost"];
  assert.deepEqual(RUN_STATES.filter(isTerminal), terminal);
  assert.deepEqual(RUN_STATES.filter(isLeased), LEASED);
});

test("never pushes a cancelled run and never requeues a pushed one, in any order of events", () => {
  const events = fc.array(fc.constantFrom(...RUN_EVENTS), { maxLength: 60 });
  fc.assert(
    fc.property(events, (happened) => {
      const lived: RunState[] = ["queued"];
      for (const event of happened) {
        const next = stateAfter(lived.at(-1) ?? "queued", event);
        if (next !== null) lived.push(next);
      }
      const [cancelled, pushing] = [lived.indexOf("cancelled"), lived.indexOf("pushing")];
      assert.ok(cancelled < 0 || cancelled === lived.length - 1);
      assert.ok(pushing < 0 || lived.slice(pushing).every((state) => !isLeased(state) && state !== "queued"));
      assert.ok(lived.filter((state) => state === "pushing").length <= 1);
    }),
    { numRuns: 500 },
  );
});

test("cancels a waiting run immediately, asks a connected worker, and is refused from pushing on", () => {
  const answers = (workerIsConnected: boolean) =>
    RUN_STATES.map((state) => cancelOutcome(state, { workerIsConnected })).join(" ");
  const late = "refused refused refused refused refused refused already refused refused";
  assert.equal(answers(true), `at_once requested requested requested requested ${late}`);
  assert.equal(answers(false), `at_once at_once at_once at_once at_once ${late}`);
});

test("reports attention for a push without its wanted pull request", () => {
  const phases = RUN_STATES.map((state) => phaseOf(state, { wantsPr: false }));
  const expected = [...Array(6).fill("active"), ...Array(4).fill("success"), ...Array(4).fill("failure")];
  assert.deepEqual(phases, expected);
  assert.equal(phaseOf("pushed", { wantsPr: true }), "attention");
  assert.deepEqual(RUN_STATES.filter(isActive), ["queued", ...LEASED, "pushing"]);
  assert.deepEqual(RUN_STATES.filter(isRetryable), ["failed", "cancelled", "expired", "lost"]);
});
