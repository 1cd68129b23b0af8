import assert from "node:assert/strict";
import { test } from "node:test";
import { loadHead, readHead, trainHead } from "../src/index.ts";
import { readLexicalRows } from "../src/head/lexical-rows.ts";
import { fitResidual } from "../src/head/fit-residual.ts";
import { lexiconFor } from "../src/head/fit-model.ts";
import { LEXICON } from "../src/head/lexical.ts";
import { STEM_LEXICON } from "../src/head/lexical-stems.ts";
import { tokenise } from "../src/text/tokenise.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route }));

const REPEATS = 30;
const texts = Array.from({ length: REPEATS }, (_, n) => [`refund number ${n}`, `parcel number ${n}`]).flat();
const features = texts.map((text) => STEM_LEXICON.featuresOf(tokenise(text).tokens));
const task = {
  chosen: [...texts.keys()],
  labels: Int32Array.from(texts, (_, at) => at % 2),
  classes: 2,
  seed: 1,
};

test("learns what the offset does not know, and words of both routes weigh little", () => {
  const rows = readLexicalRows(features, 1);
  const { ids, weights } = fitResidual(rows, { ...task, offset: new Float64Array(2 * texts.length) });
  const weightOf = (word: string, route: number) => weights[ids.indexOf(STEM_LEXICON.wordFeature(word)) * 2 + route];
  assert.ok(weightOf("refund", 0) > 1 && weightOf("refund", 1) < -1);
  assert.ok(weightOf("parcel", 1) > 1 && weightOf("parcel", 0) < -1);
  assert.ok(Math.abs(weightOf("number", 0)) < 0.2);
});

test("learns nothing where the offset knows everything", () => {
  const offset = Float64Array.from({ length: 2 * texts.length }, (_, at) => (at % 2 === (at >> 1) % 2 ? 20 : 0));
  const { weights } = fitResidual(readLexicalRows(features, 1), { ...task, offset });
  assert.ok(weights.every((weight) => weight === 0));
});

test("reads stems if most routes have many texts, however many texts one route has", () => {
  const labels = (counts: readonly number[]) =>
    counts.flatMap((count, route) => Array.from({ length: count }, () => route));
  assert.equal(lexiconFor(labels([20, 20, 20]), 3), STEM_LEXICON);
  assert.equal(lexiconFor(labels([20, 20, 2]), 3), STEM_LEXICON);
  assert.equal(lexiconFor(labels([500, 19, 19]), 3), LEXICON);
  assert.equal(lexiconFor([...labels([19, 19]), -1, -1], 2), LEXICON);
});

const few = examples().filter((_, index) => index % 4 === 0);
const fewHead = trainHead(trunk, { name: "few", routes, examples: few, plus: true });

test("a head reads its file as it was trained, with few texts and with many", () => {
  const manyHead = trainHead(trunk, { name: "many", routes, examples: examples(), plus: true });
  for (const [{ bytes, rejected }, version, lexicon] of [
    [fewHead, 2, LEXICON],
    [manyHead, 3, STEM_LEXICON],
  ] as const) {
    assert.equal(rejected, null);
    assert.equal(Buffer.from(bytes).readUInt16LE(4), version);
    assert.equal(readHead(bytes, trunk.sha256).lexicon, lexicon);
    const head = loadHead(bytes, trunk);
    assert.equal(head.via, "plus");
    const right = few.filter(({ text, route }) => head.routes[head.decide(trunk.encode(text)).choice].route === route);
    assert.ok(right.length > 0.95 * few.length, `${right.length} of ${few.length}`);
    for (const { text } of few.slice(0, 20)) assertSumIsExact(head, text);
  }
});

test("a head of few texts has the same bytes in any order of its examples", () => {
  const again = trainHead(trunk, { name: "few", routes, examples: few.toReversed(), plus: true });
  assert.deepEqual(again.bytes, fewHead.bytes);
});

function assertSumIsExact(head: ReturnType<typeof loadHead>, text: string): void {
  const encoding = trunk.encode(text);
  const { probabilities, choice } = head.decide(encoding);
  const versus = choice === 0 ? 1 : 0;
  const { logitDifference, bias, other, evidence } = head.explain(encoding, { choice, versus, most: 3 });
  const sum = evidence.reduce((total, { contribution }) => total + contribution, bias + other);
  assert.ok(Math.abs(sum - logitDifference) < 1e-9);
  // The probability of the other route may be too small for a number.
  const expected = probabilities[choice] * Math.exp(-logitDifference);
  assert.ok(Math.abs(probabilities[versus] - expected) < 1e-12);
}
