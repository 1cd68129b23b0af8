import assert from "node:assert/strict";
import { test } from "node:test";
import { openDomain, openNoul, openScore, type SignalInput } from "../src/index.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { firedRules } from "../src/features/escalation-rules.ts";
import { fitNoul, fitScore, trainDomain, writeNoul, writeScore } from "../src/features/train-features.ts";
import { examples, smallTrunk } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const rows = examples().map(({ text, route }, index) => {
  const input = inputOf(text, index % 7 === 0 ? 0.3 : 0.95);
  return { ...input, escalate: route === "refund", complexity: 1 + (index % 4) };
});
/** Exam questions, of which those with numeric answers are hard. */
const questions = ["red", "blue", "green", "7", "12", "30"].flatMap((answer) =>
  ["Which one", "Name it"].map((start) => ({
    ...inputOf(`${start}?\nA. ${answer}\nB. ${answer}0\nC. ${answer}1`),
    escalate: Number.isInteger(Number(answer)),
  })),
);
const noul = openNoul(writeNoul(trunk, fitNoul(trunk, [...rows, ...questions]), {}), trunk);
const score = openScore(writeScore(trunk, fitScore(trunk, rows), {}), trunk);
const OTHER = ["quantum chromodynamics", "seven blue triangles", "the treaty of westphalia", "tectonic plates drift"];
const others = OTHER.flatMap((text) =>
  ["so ", "and ", "well ", "now ", "but ", ""].map((start) => ({ text: start + text, route: null })),
);
const domain = openDomain(trainDomain(trunk, [...examples(), ...others]).bytes, trunk);

function inputOf(state: string, confidence = 0.9): SignalInput {
  return { state, encoding: trunk.encode(state), confidence, margin: confidence, scope: null };
}

function* randomTexts(count: number): Generator<string> {
  const random = xorshift(13);
  const words = [...examples().flatMap(({ text }) => text.split(" ")), "human", "1.", "because", "42", "a lawyer"];
  for (let round = 0; round < count; round++)
    yield Array.from({ length: Math.floor(random() * 12) }, () => words[Math.floor(random() * words.length)]).join(" ");
}

test("noul learns what is escalated, and escalates at its threshold", () => {
  const escalated = noul.decide(inputOf("give me a refund, I want my money back"));
  const other = noul.decide(inputOf("is it sunny outside"));
  assert.ok(escalated.pYes > 0.5 && other.pYes < 0.3, `${escalated.pYes} and ${other.pYes}`);
  assert.equal(escalated.escalate, escalated.pYes >= escalated.threshold);
});

test("doubt about the route never lowers the probability of escalation", () => {
  for (const text of randomTexts(200))
    assert.ok(noul.decide(inputOf(text, 0.2)).pYes >= noul.decide(inputOf(text, 0.9)).pYes);
});

test("a question with answer choices has its own weights, whatever the route decision", () => {
  const probabilityOf = (answers: readonly string[], confidence: number) =>
    noul.decide(inputOf(["Choose?", ...answers].join("\n"), confidence)).pYes;
  const figures = ["A. 15", "B. 18", "C. 21"];
  assert.ok(probabilityOf(figures, 0.9) > probabilityOf(["A. red", "B. pink", "C. white"], 0.9) + 0.2);
  assert.equal(probabilityOf(figures, 0.9), probabilityOf(figures, 0.1));
});

test("for a problem with amounts, doubt about the route has no effect, but a request for a person does", () => {
  const problem = "Anna has 12 eggs. She sells 4 of them. How many are left?";
  const { pYes } = noul.decide(inputOf(problem, 0.9));
  assert.equal(noul.decide(inputOf(problem, 0.1)).pYes, pYes);
  assert.deepEqual(noul.decide(inputOf(`${problem} Let me talk to a human.`)).rules, ["asks_for_human"]);
});

test("without training questions, a question is escalated at the overall rate", () => {
  const few = openNoul(writeNoul(trunk, fitNoul(trunk, rows), {}), trunk);
  const share = rows.filter(({ escalate }) => escalate).length / rows.length;
  assert.ok(Math.abs(few.decide(questions[0]).pYes - share) < 0.02);
});

test("escalation rules match requests for a person, legal matters, emergencies and disputed payments, in English and French", () => {
  const fired = (text: string) => firedRules(trunk.encode(text).tokens);
  for (const text of [
    "I want to talk to a human",
    "let me speak with a real person",
    "je veux parler à un conseiller",
    "passez-moi quelqu'un s'il vous plaît",
  ])
    assert.deepEqual(fired(text), ["asks_for_human"], text);
  assert.deepEqual(fired("my lawyer will write to you"), ["legal"]);
  assert.deepEqual(fired("je vais porter plainte"), ["legal"]);
  assert.deepEqual(fired("I have chest pain and can't breathe"), ["medical"]);
  assert.deepEqual(fired("il n'arrive plus à respirer"), ["medical"]);
  assert.deepEqual(fired("I was charged twice this month"), ["payment_dispute"]);
  assert.deepEqual(fired("je conteste ce prélèvement"), ["payment_dispute"]);
  for (const text of ["what's the weather in Paris", "traduis ce texte en anglais", "read the file notes.txt"])
    assert.deepEqual(fired(text), [], text);
});

test("the levels of a score sum to 1, and their mean is between 1 and 4", () => {
  for (const text of randomTexts(200)) {
    const { probabilities, complexity, expected } = score.decide(inputOf(text));
    assert.ok(Math.abs(probabilities.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
    assert.ok(expected >= 1 && expected <= 4);
    assert.ok(probabilities.every((p) => p <= probabilities[complexity - 1]));
  }
});

test("explanations of noul and score add up to their logit differences over 1 000 texts, including questions", () => {
  for (const text of [...randomTexts(1000), ...questions.map(({ state }) => state)]) {
    const input = inputOf(text, 0.4);
    const p = noul.decide(input).pYes;
    sums(noul.explain(input, 4), Math.log(p / (1 - p)));
    const { probabilities, complexity, versus } = score.decide(input);
    sums(score.explain(input, 4), Math.log(probabilities[complexity - 1] / probabilities[versus - 1]));
  }
});

test("a matched rule is reported as a rule", () => {
  const { evidence } = noul.explain(inputOf("I want to talk to a human"), 100);
  assert.ok(evidence.some(({ feature, kind }) => kind === "rule" && feature === "asks_for_human"));
});

test("returns a domain only with enough confidence", () => {
  assert.deepEqual(domain.domains, ["chat", "password", "refund", "weather"]);
  assert.equal(domain.decide(trunk.encode("I forgot my password, reset my password please")).domain, "password");
  assert.equal(domain.decide(trunk.encode("quantum chromodynamics")).domain, null);
});

function sums(explanation: ReturnType<typeof noul.explain>, difference: number): void {
  const listed = explanation.evidence.reduce((sum, { contribution }) => sum + contribution, 0);
  assert.ok(Math.abs(explanation.bias + listed + explanation.other - explanation.logitDifference) < 1e-9);
  assert.ok(
    Math.abs(explanation.logitDifference - difference) < 1e-9,
    `${explanation.logitDifference} for ${difference}`,
  );
}
