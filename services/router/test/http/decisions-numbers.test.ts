/** Numbers of the native endpoints: full doubles that add up. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createDecisionFixture } from "../support/decision-fixture.ts";

const fixture = await createDecisionFixture();
after(() => fixture[Symbol.asyncDispose]());
const { decided } = fixture;

describe("numbers", () => {
  const STATES = [
    "🙂🎉",
    "東京の天気はどうですか",
    "… — “”",
    "x",
    `${"rain ".repeat(6553)}now`,
    "\u200b\u2060",
    "\u202eabc",
    "é̀".repeat(50),
    "0",
  ];

  test("are full doubles that add up, for 1, 2 and 255 options and for texts of unknown words", async () => {
    for (const state of STATES)
      for (const count of [1, 2, 255]) {
        const options = Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`option ${index}`, index % 3 === 0 ? null : `rain of ${index}`]),
        );
        const body = await decided("/v1/assess", { state, options });
        const { probabilities, choice, confidence } = body.decision;
        const values: number[] = Object.values(probabilities);
        assert.equal(values.length, count);
        assert.ok(Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
        assert.equal(probabilities[choice], Math.max(...values));
        assert.ok(confidence >= 0 && confidence <= 1);
        const levels: number[] = Object.values(body.complexity.probabilities);
        const mean = levels.reduce((sum, p, index) => sum + p * (index + 1), 0);
        assert.ok(Math.abs(mean - body.complexity.expected) < 1e-12);
      }
  });

  test("of an expert add up too, among all routes and among some", async () => {
    for (const state of STATES)
      for (const options of [undefined, ["weather"], ["refund", "weather"]]) {
        const { probabilities, route, set } = await decided("/v1/route", { state, options });
        const values: number[] = Object.values(probabilities);
        assert.equal(values.length, options?.length ?? 5);
        assert.ok(Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
        assert.equal(probabilities[route], Math.max(...values));
        assert.ok(set.includes(route) && set.every((label: string) => label in probabilities));
      }
  });

  test("of an explanation add up to the logit difference", async () => {
    for (const request of [
      {},
      { options: { sun: "weather forecast", cash: "money back" } },
      { options: ["weather"] },
    ]) {
      const { decision, escalation, complexity } = await decided("/v1/assess", {
        state: "rain, refund",
        explain: 2,
        ...request,
      });
      for (const { explanation } of [decision, escalation, complexity]) {
        const { bias, other, evidence, logit_difference } = explanation;
        const listed = evidence.reduce((sum: number, entry: { contribution: number }) => sum + entry.contribution, 0);
        assert.ok(evidence.length <= 2);
        assert.ok(Math.abs(bias + other + listed - logit_difference) < 1e-9);
      }
      assert.equal(escalation.explanation.versus, "no");
    }
    const single = await decided("/v1/route", { state: "rain", explain: true, options: ["weather"] });
    assert.equal(single.explanation.versus, null);
  });
});
