import assert from "node:assert/strict";
import { test } from "node:test";
import type { Action, Reason } from "@triptych/contracts";
import { verdictOn, type Facts } from "../../src/domain/decision-table.ts";
import { reasonText } from "../../src/domain/reason-text.ts";
import { seeded } from "../support/seeded.ts";

/** A request that matches no special row. */
const WELL: Facts = {
  kind: "tool",
  escalation: { pYes: 0.1, threshold: 0.5 },
  outOfScope: false,
  unread: false,
  gateConfidence: 0.9,
  gateFloor: 0.55,
  confidence: 0.9,
  floor: 0.55,
  risk: { threshold: 0.8 },
  isConformal: true,
  setSize: 1,
};

/** Each row of the table, in table order: facts that match only this row, and the expected verdict. */
const ROWS: readonly (readonly [facts: Partial<Facts>, action: Action, reason: Reason])[] = [
  [{ unread: true }, "delegate", "out_of_scope"],
  [{ kind: "escalate" }, "delegate", "route_escalate"],
  [{ escalation: { pYes: 0.5, threshold: 0.5 } }, "delegate", "noul_escalate"],
  [{ outOfScope: true }, "delegate", "out_of_scope"],
  [{ gateConfidence: 0.54 }, "delegate", "low_gate_confidence"],
  [{ floor: 0.91 }, "delegate", "low_confidence"],
  [{ risk: { threshold: null } }, "delegate", "risk_limit"],
  [{ setSize: 2 }, "delegate", "conformal_abstain"],
  [{ kind: "chat" }, "generate", "ok"],
];

test("a request that matches no other row calls the tool", () => {
  assert.deepEqual(verdictOn(WELL), { action: "tool_call", reason: "ok" });
});

for (const [facts, action, reason] of ROWS)
  test(`${reason} alone is ${action} (${JSON.stringify(facts)})`, () => {
    assert.deepEqual(verdictOn({ ...WELL, ...facts }), { action, reason });
  });

test("of two matching rows, the first decides", () => {
  let pairs = 0;
  for (const [index, [first, action, reason]] of ROWS.entries())
    for (const [later] of ROWS.slice(index + 1)) {
      // A route has one kind, so rows of two kinds never match together.
      if (first.kind !== undefined && later.kind !== undefined) continue;
      assert.deepEqual(verdictOn({ ...WELL, ...later, ...first }), { action, reason });
      pairs += 1;
    }
  assert.equal(pairs, (9 * 8) / 2 - 1);
});

test("limits are inclusive: a probability at its threshold escalates, and a confidence at its floor is enough", () => {
  assert.equal(verdictOn({ ...WELL, escalation: { pYes: 0.499, threshold: 0.5 } }).reason, "ok");
  assert.equal(verdictOn({ ...WELL, gateConfidence: 0.55 }).reason, "ok");
  assert.equal(verdictOn({ ...WELL, confidence: 0.55, risk: null }).reason, "ok");
  assert.equal(verdictOn({ ...WELL, confidence: 0.8, risk: { threshold: 0.8 } }).reason, "ok");
  assert.equal(verdictOn({ ...WELL, confidence: 0.79, risk: { threshold: 0.8 } }).reason, "risk_limit");
});

test("ignores unset inputs: gate, max_error, conformal head and escalation", () => {
  const bare = { ...WELL, gateConfidence: null, risk: null, isConformal: false, setSize: 5, escalation: null };
  assert.deepEqual(verdictOn(bare), { action: "tool_call", reason: "ok" });
});

test("a higher floor or a stricter threshold never turns a delegation into another action", () => {
  const random = seeded(7);
  for (let round = 0; round < 20_000; round++) {
    const facts: Facts = {
      kind: random.pick(["tool", "chat", "escalate"]),
      escalation: random.chance(0.5) ? null : { pYes: random.next(), threshold: 0.5 },
      outOfScope: random.chance(0.2),
      unread: random.chance(0.1),
      gateConfidence: random.chance(0.5) ? null : random.next(),
      gateFloor: random.next(),
      confidence: random.next(),
      floor: random.next(),
      risk: random.chance(0.5) ? null : { threshold: random.chance(0.2) ? null : random.next() },
      isConformal: random.chance(0.5),
      setSize: 1 + random.below(3),
    };
    if (verdictOn(facts).action !== "delegate") continue;
    const higher = facts.floor + (1 - facts.floor) * random.next();
    const stricter = { ...facts, floor: higher, gateFloor: Math.max(facts.gateFloor, higher) };
    assert.equal(verdictOn(stricter).action, "delegate", JSON.stringify(facts));
  }
});

test("every reason has its own sentence, built from values", () => {
  const reasonFacts = { ...WELL, basis: "head", maxError: 0.05, alpha: 0.05 } as const;
  const sentences = [[{}, "tool_call", "ok"] as const, ...ROWS].map(([facts, action, reason]) =>
    reasonText({ action, reason }, { ...reasonFacts, ...facts }),
  );
  assert.equal(new Set(sentences).size, ROWS.length + 1);
  assert.ok(sentences.every((sentence) => /^[A-Z][^\n]*\.$/.test(sentence)));
  assert.equal(sentences[0], "Known route above the floor 0.55.");
  assert.equal(
    reasonText(
      { action: "delegate", reason: "risk_limit" },
      { ...reasonFacts, confidence: 0.7, risk: { threshold: 0.8125 } },
    ),
    "Confidence 0.7 is below 0.8125, which an error rate of at most 0.05 needs.",
  );
});
