import assert from "node:assert/strict";
import { test } from "node:test";
import { keepingVocabularies } from "../src/engine/keeping-vocabularies.ts";
import { smallArtifacts } from "./support/small-artifacts.ts";

const { options: scorer, trunk } = smallArtifacts();
const entry = (label: string, description = "") => ({ label, description, parameters: [], examples: [] });

test("the same options are read once, other descriptions are other options, and the oldest go", () => {
  let read = 0;
  const counting = {
    ...scorer,
    vocabulary(options: Parameters<typeof scorer.vocabulary>[0]) {
      read += 1;
      return scorer.vocabulary(options);
    },
  };
  const keeping = keepingVocabularies(counting, 4);
  const first = [entry("a", "rain"), entry("b")];
  const encoding = trunk.encode("will it rain");
  const told = keeping.decide(encoding, keeping.vocabulary(first));
  assert.deepEqual(keeping.decide(encoding, keeping.vocabulary(structuredClone(first))), told);
  assert.equal(read, 1);
  keeping.vocabulary([entry("a", "sun"), entry("b")]);
  assert.equal(read, 2);
  keeping.vocabulary([entry("c")]);
  keeping.vocabulary(first);
  assert.equal(read, 4, "the first was let go for the third");
  assert.deepEqual(keeping.decide(encoding, keeping.vocabulary(first)), told);
});

test("more options than may be kept are decided all the same", () => {
  const keeping = keepingVocabularies(scorer, 1);
  const options = [entry("a", "rain"), entry("b", "money back")];
  const encoding = trunk.encode("money back");
  assert.deepEqual(
    keeping.decide(encoding, keeping.vocabulary(options)),
    scorer.decide(encoding, scorer.vocabulary(options)),
  );
});
