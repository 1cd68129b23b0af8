import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as check, asyncProperty, record, shuffledSubarray } from "fast-check";
import type { ForgeFault } from "@triptych/fake-forge";
import { createDeliveryFixture } from "../support/delivery-fixture.ts";

const CALLERS = 100;
const ITERATIONS = process.env["TEST_LONG"] === undefined ? 3 : 200;
/** Creates nothing; the caller retries. */
const WITHOUT_EFFECT = ["error", "rate_limited"] as const;
/** Creates it without a response. One error affects one run, so both need two runs. */
const WITH_EFFECT = ["error_after_effect", "lost_answer"] as const;

const errors = record({
  before: shuffledSubarray([...WITHOUT_EFFECT], { minLength: WITHOUT_EFFECT.length }),
  last: shuffledSubarray([...WITH_EFFECT], { minLength: WITH_EFFECT.length }),
});

test("creates one pull request for a hundred concurrent callers, whatever errors the forge returns", async () => {
  await using fixture = await createDeliveryFixture();
  const askUntilItIs = async (runId: string) => {
    for (;;) {
      const answer = await fixture.openPr(runId);
      if (answer.statusCode !== 502) return answer;
      assert.equal(answer.json().code, "forge_error");
    }
  };
  const property = asyncProperty(errors, async ({ before, last: [first, other] }) => {
    const sequences: readonly (readonly ForgeFault[])[] = [[...before, first], [other]];
    for (const faults of sequences) {
      const run = await fixture.placedRun();
      const happened = faults.map((fault) => fixture.forge.failNext(fault));
      const answers = await Promise.all(Array.from({ length: CALLERS }, () => askUntilItIs(run.id)));
      await Promise.all(happened);
      const made = fixture.forge.pulls.all.filter(({ head }) => head.ref === `maint/${run.id}`);
      assert.deepEqual(
        made.map(({ state }) => state),
        ["open"],
      );
      const [{ number }] = made;
      assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]));
      assert.deepEqual(new Set(answers.map((answer) => answer.json().pr.number)), new Set([number]));
      assert.equal((await fixture.runOf(run.id)).state, "pr_open");
    }
  });
  await check(property, { numRuns: ITERATIONS });
  assert.deepEqual(fixture.errors, []);
});
