/** Explanations of heads, on random sequences of known words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Head } from "@triptych/decisions";
import { examples } from "../../../../packages/decisions/test/support/small-trunk.ts";
import { seeded } from "../support/seeded.ts";
import { smallArtifacts } from "../support/small-artifacts.ts";

const { trunk, experts } = smallArtifacts();
const WORDS = [...new Set(examples().flatMap(({ text }) => text.match(/[a-z]+/gi) ?? []))].toSorted();

function explained(head: Head, text: string, most: number) {
  const encoding = trunk.encode(text);
  const { probabilities, choice } = head.decide(encoding);
  const others = [...probabilities.keys()].filter((index) => index !== choice);
  const versus = others.reduce((best, index) => (probabilities[index] > probabilities[best] ? index : best));
  const differenceIn = (other: string) => {
    const again = head.decide(trunk.encode(other)).probabilities;
    return Math.log(again[choice]) - Math.log(again[versus]);
  };
  return { ...head.explain(encoding, { choice, versus, most }), differenceIn };
}

for (const [name, head] of experts)
  test(`of ${name}, evidence, the remainder and bias add up to the logit difference, over 1 000 texts`, () => {
    const random = seeded(11);
    for (let round = 0; round < 1000; round++) {
      const text = Array.from({ length: 1 + random.below(9) }, () => random.pick(WORDS)).join(" ");
      const { evidence, other, bias, logitDifference, differenceIn } = explained(head, text, 1 + random.below(32));
      const listed = evidence.reduce((sum, { contribution }) => sum + contribution, 0);
      assert.ok(Math.abs(bias + listed + other - logitDifference) < 1e-9, text);
      assert.ok(Math.abs(differenceIn(text) - logitDifference) < 1e-9, text);
      const sizes = evidence.map(({ contribution }) => Math.abs(contribution));
      assert.deepEqual(
        sizes,
        sizes.toSorted((a, b) => b - a),
      );
    }
  });

test("removing the weightiest word changes the logit in the explained direction in 99 of 100 texts", () => {
  // Not in all texts: removing a word also increases the weight of the others.
  const head = experts.get("tools");
  assert.ok(head !== undefined);
  const random = seeded(4);
  let moved = 0;
  for (let round = 0; round < 500; round++) {
    const sample = random.shuffle(WORDS).slice(0, 4 + random.below(6));
    const { evidence, logitDifference, differenceIn } = explained(head, sample.join(" "), 32);
    const top = evidence.find(({ kind }) => kind === "word");
    assert.ok(top !== undefined);
    const rest = sample.filter((term) => term.toLowerCase() !== top.feature);
    assert.equal(rest.length, sample.length - 1, `${top.feature} in ${sample.join(" ")}`);
    const change = differenceIn(rest.join(" ")) - logitDifference;
    if (Math.sign(change) === -Math.sign(top.contribution)) moved++;
  }
  assert.ok(moved >= 495, `${moved} of 500`);
});
