import assert from "node:assert/strict";
import { test } from "node:test";
import { headCard, openEncoderHead, loadHead, recalibrateHead, textsOfTraining, trainHead } from "../src/index.ts";
import { encodedAhead } from "../src/onnx/encoder-head.ts";
import { openSentenceEncoder } from "../src/onnx/sentence-encoder.ts";
import { encoderFolder, STAND_IN } from "./support/encoder-folder.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

await using brought = await encoderFolder();
const encoder = await openSentenceEncoder(brought.folder, STAND_IN);
const trunk = smallTrunk();
const input = { name: "topics", routes: Object.keys(TOPICS).map((route) => ({ route })), examples: examples() };
const ahead = await encodedAhead(encoder, textsOfTraining(input));
const { bytes, rejected } = trainHead(ahead, input);
const head = openEncoderHead(bytes, encoder);

async function encodingOf(text: string) {
  return { ...trunk.encode(text), sentence: (await encoder.encode(text)).vector };
}

test("a head trained on the encoder decides on sentence vectors and reports `onnx`", async () => {
  assert.equal(rejected, null);
  assert.deepEqual([head.via, head.trunk, head.sha256.length], ["onnx", encoder.sha256, 64]);
  const { choice, confidence } = head.decide(await encodingOf("could you please reset my password"));
  assert.equal(head.routes[choice].route, "password");
  assert.ok(confidence > 0.5);
});

test("the same examples in another order, encoded in another order, give the same bytes", async () => {
  const turned = input.examples.toReversed();
  assert.deepEqual(
    trainHead(await encodedAhead(encoder, textsOfTraining(input).toReversed()), { ...input, examples: turned }).bytes,
    bytes,
  );
});

test("a route of two texts, which is trained on added texts, can also be trained on an encoder", async () => {
  const few = Object.keys(TOPICS).flatMap((route) => input.examples.filter((each) => each.route === route).slice(0, 2));
  const small = { ...input, examples: few };
  const trained = trainHead(await encodedAhead(encoder, textsOfTraining(small)), small);
  assert.equal(trained.report["n"], few.length);
});

test("heads of a trunk and of an encoder reject each other", () => {
  assert.throws(() => loadHead(bytes, trunk), { code: "trunk_mismatch" });
  assert.throws(() => openEncoderHead(trainHead(trunk, input).bytes, encoder), { code: "trunk_mismatch" });
  assert.throws(() => openEncoderHead(bytes, { sha256: "0".repeat(64) }), { code: "trunk_mismatch" });
});

test("an explanation contains the whole sentence and each lexical feature, and adds up to the logit difference", async () => {
  for (const text of ["refund my order, please", "", "good morning ".repeat(300)]) {
    const encoding = await encodingOf(text);
    const { probabilities, choice } = head.decide(encoding);
    const versus = probabilities.findIndex((_, index) => index !== choice);
    const { logitDifference, bias, other, evidence } = head.explain(encoding, { choice, versus, most: 3 });
    const listed = evidence.reduce((sum, { contribution }) => sum + contribution, 0);
    assert.ok(Math.abs(bias + other + listed - logitDifference) < 1e-9);
    assert.ok(Math.abs(Math.log(probabilities[choice] / probabilities[versus]) - logitDifference) < 1e-9);
    assert.ok(
      head.explain(encoding, { choice, versus, most: 32 }).evidence.some(({ feature }) => feature === "sentence"),
    );
  }
});

test("asking for a text that was not encoded is an internal error", () => {
  assert.throws(() => head.decide(trunk.encode("refund")), /not encoded for it/);
  assert.throws(() => ahead.encode("a text that nobody has seen"), /not encoded ahead/);
});

test("recalibrates on texts that were encoded in advance", async () => {
  const feedback = input.examples.map(({ text, route }) => ({ text, context: "", route }));
  const { rows } = recalibrateHead(bytes, await encodedAhead(encoder, feedback), feedback);
  assert.equal(rows, feedback.length);
});

test("its card names its base model", () => {
  const card = headCard(bytes, encoder.sha256, "encoder");
  assert.match(card, /sentence encoder of the operator/);
  assert.ok(card.includes(`sentence encoder | sha256:${encoder.sha256}`));
  assert.doesNotMatch(card, /static trunk|hashed n-grams/);
});
