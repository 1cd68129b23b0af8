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

/** Section 4 of the contract, row by row: in which states an event can happen, and where it leads. */
const LEASED: readonly RunState[] = ["leased", "preparing", "running", "verifying"];
const LAW: Readonly<Record<(typeof RUN_EVENTS)[number], readonly [from: readonly RunState[], to: RunState]>> = {
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

test("every event in every state leads where the contract says, or cannot happen", () => {
  for (const state of RUN_STATES)
    for (const event of RUN_EVENTS) {
      const [from, to] = LAW[event];
      assert.equal(stateAfter(state, event), from.includes(state) ? to : null, `${event} in ${state}`);
    }
});

test("nothing leads out of a terminal state, and the terminal states are those of the contract", () => {
  const terminal = ["pr_open", "succeeded", "no_change", "failed", "cancelled", "expired", "lost"];
  assert.deepEqual(RUN_STATES.filter(isTerminal), terminal);
  assert.deepEqual(RUN_STATES.filter(isLeased), LEASED);
});

test("whatever happens in whatever order, a cancelled run never reaches pushing and a pushed one is never queued again", () => {
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

test("a wish to cancel ends what waits at once, asks a connected worker, and comes too late from pushing on", () => {
  const answers = (workerIsConnected: boolean) =>
    RUN_STATES.map((state) => cancelOutcome(state, { workerIsConnected })).join(" ");
  const late = "refused refused refused refused refused refused already refused refused";
  assert.equal(answers(true), `at_once asked asked asked asked ${late}`);
  assert.equal(answers(false), `at_once at_once at_once at_once at_once ${late}`);
});

test("the phase tells what to do: a push without its wanted pull request asks for attention", () => {
  const phases = RUN_STATES.map((state) => phaseOf(state, { wantsPr: false }));
  const expected = [...Array(6).fill("active"), ...Array(4).fill("success"), ...Array(4).fill("failure")];
  assert.deepEqual(phases, expected);
  assert.equal(phaseOf("pushed", { wantsPr: true }), "attention");
  assert.deepEqual(RUN_STATES.filter(isActive), ["queued", ...LEASED, "pushing"]);
  assert.deepEqual(RUN_STATES.filter(isRetryable), ["failed", "cancelled", "expired", "lost"]);
});
