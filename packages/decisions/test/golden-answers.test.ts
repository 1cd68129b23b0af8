import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadBundledModels } from "../src/index.ts";
import { goldenAnswer, type GoldenAnswer } from "../training/golden-answers.ts";

// Only `npm run pin:artifacts` writes this file, after a training. An engine with other results is not the released
// one.
const golden = JSON.parse(
  readFileSync(new URL("fixtures/golden-answers.json", import.meta.url), "utf8"),
) as readonly GoldenAnswer[];
const artifacts = loadBundledModels();

test("two hundred texts in English, French and other languages give the released results, bit for bit", () => {
  assert.equal(new Set(golden.map(({ text }) => text)).size, 200);
  for (const { text, answer } of golden) assert.deepEqual(goldenAnswer(artifacts, text), answer, text);
});

test("the golden results cover every expert and more than one kind", () => {
  const answers = golden.map(({ answer }) => answer as Readonly<Record<string, unknown>>);
  for (const member of ["complexity", "option", "p_yes"])
    assert.ok(new Set(answers.map((answer) => answer[member])).size > 1, member);
  for (const { experts } of answers) assert.deepEqual(Object.keys(experts ?? {}), [...artifacts.experts.keys()]);
});
