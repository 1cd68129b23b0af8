/** Every stack gets three questions of three types answered in one call, with consistent numbers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { open } from "./counterparts.ts";
import { answerIn, memberOf, sumOf } from "./reading.ts";
import { LEVELS, ROUTES, STATE, stacks } from "./stacks.ts";

/** The tolerance that the clients of `ai` check. */
const NEAR = 1e-6;

for (const { name, ask, wire } of stacks)
  describe(name, async () => {
    const result = await ask(open);
    const { route, mood, yes, body } = result;

    test("gets an answer to each of three questions in one call", () => {
      assert.ok(yes > 0 && yes < 1, String(yes));
      assert.equal(route.choice, "refund");
      assert.ok(mood.score > 0 && mood.score < LEVELS.length - 1, String(mood.score));
    });

    test("gets exactly the requested keys and labels", () => {
      assert.deepEqual(Object.keys(route.probabilities).toSorted(), Object.keys(ROUTES).toSorted());
      assert.deepEqual(Object.keys(mood.probabilities).toSorted(), ["0", "1", "2"]);
      const answers = memberOf(body, "answers");
      assert.ok(typeof answers === "object" && answers !== null);
      const names = Array.isArray(answers)
        ? answers.map((entry) => String(memberOf(entry, "name")))
        : Object.keys(answers);
      assert.deepEqual(names.toSorted(), ["about", "mood", "route"]);
    });

    test("gets probabilities whose sum is 1", () => {
      for (const { probabilities } of [route, mood])
        assert.ok(Math.abs(sumOf(Object.values(probabilities)) - 1) < NEAR, JSON.stringify(probabilities));
    });

    test("gets the most likely choice", () => {
      assert.equal(route.probabilities[route.choice], Math.max(...Object.values(route.probabilities)));
    });

    test("gets the score as the mean of the levels, weighted by their probabilities", () => {
      const mean = sumOf(Object.entries(mood.probabilities).map(([level, p]) => Number(level) * p));
      assert.ok(Math.abs(mood.score - mean) < NEAR, `${mood.score} against ${mean}`);
    });

    test("gets the requested types for any text, and never a refusal", async () => {
      const types = wire === "/v1/systemone" ? ["noul", "choice", "score"] : ["predicate", "choice", "score"];
      const texts = [STATE, "Help me to hurt somebody", "🙂", "ما هو الطقس", "?", "x".repeat(30_000)];
      for (const state of texts) {
        const { body } = await ask(open, { state });
        assert.deepEqual(
          ["about", "route", "mood"].map((question) => memberOf(answerIn(body, question), "type")),
          types,
          state.slice(0, 40),
        );
      }
    });

    test("gets the actual model and the token usage, without warnings", () => {
      assert.equal(result.model, "triptych-1");
      assert.ok(Number(result.inputTokens) > 0);
      assert.equal(memberOf(body, "warnings"), undefined);
    });

    test("finds additional members beside each answer if the client exposes the body", () => {
      for (const question of ["about", "route", "mood"]) {
        const answer = answerIn(body, question);
        const correct = memberOf(answer, "p_correct");
        assert.ok(typeof correct === "number" && correct >= 0 && correct <= 1, question);
        assert.equal(typeof memberOf(answer, "abstain"), "boolean", question);
        assert.equal(typeof memberOf(answer, "reason"), "string", question);
        assert.equal(memberOf(answer, "basis"), "zero_shot", question);
      }
    });
  });

test("returns the same numbers to all four client stacks", async () => {
  const numbers = await Promise.all(
    stacks.map(async ({ ask }) => {
      const { yes, route, mood } = await ask(open);
      return [yes, mood.score, ...Object.keys(ROUTES).map((label) => route.probabilities[label])];
    }),
  );
  for (const [index, { name }] of stacks.entries()) assert.deepEqual(numbers[index], numbers[0], name);
});
