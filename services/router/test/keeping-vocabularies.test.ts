import assert from "node:assert/strict";
import { test } from "node:test";
import { keepingVocabularies } from "../src/engine/keeping-vocabularies.ts";
import { smallArtifacts } from "./support/small-artifacts.ts";

const { options: scorer, trunk } = smallArtifacts();
const MANY = 1_000_000;
const entry = (label: string, description = "") => ({ label, description, parameters: [], examples: [] });

/** `read` counts the lists of options that were read. */
function countingScorer() {
  const counting = {
    ...scorer,
    read: 0,
    vocabulary(options: Parameters<typeof scorer.vocabulary>[0]) {
      counting.read += 1;
      return scorer.vocabulary(options);
    },
  };
  return counting;
}

test("the same options are read once, other descriptions are other options, and the oldest go", () => {
  const counting = countingScorer();
  const keeping = keepingVocabularies(counting, { options: 4, characters: MANY });
  const first = [entry("a", "rain"), entry("b")];
  const encoding = trunk.encode("will it rain");
  const told = keeping.decide(encoding, keeping.vocabulary(first));
  assert.deepEqual(keeping.decide(encoding, keeping.vocabulary(structuredClone(first))), told);
  assert.equal(counting.read, 1);
  keeping.vocabulary([entry("a", "sun"), entry("b")]);
  assert.equal(counting.read, 2);
  keeping.vocabulary([entry("c")]);
  keeping.vocabulary(first);
  assert.equal(counting.read, 4, "the first was let go for the third");
  assert.deepEqual(keeping.decide(encoding, keeping.vocabulary(first)), told);
});

test("more options than may be kept are decided all the same", () => {
  const keeping = keepingVocabularies(scorer, { options: 1, characters: MANY });
  const options = [entry("a", "rain"), entry("b", "money back")];
  const encoding = trunk.encode("money back");
  assert.deepEqual(
    keeping.decide(encoding, keeping.vocabulary(options)),
    scorer.decide(encoding, scorer.vocabulary(options)),
  );
});

test("options with more text than may be kept are read anew each time, and the others stay", () => {
  const counting = countingScorer();
  const keeping = keepingVocabularies(counting, { options: 100, characters: 1000 });
  const short = [entry("a", "rain")];
  const long = [entry("b", "sun ".repeat(300))];
  for (const options of [short, short, long, long, short]) keeping.vocabulary(options);
  assert.equal(counting.read, 3);
});
