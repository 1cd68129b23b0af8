import assert from "node:assert/strict";
import { test } from "node:test";
import { QUESTION_SIGNALS, questionSignals } from "../src/features/question-features.ts";

type Signal = (typeof QUESTION_SIGNALS)[number];
const ANSWERS = "A. red\nB. green\nC. light blue\nD. green and red\nAnswer:";
const signalOf = (state: string, name: Signal) => questionSignals(state)[QUESTION_SIGNALS.indexOf(name)];

test("each form of a question is detected, and no other form with it", () => {
  const plain = `Colour of the sky\n${ANSWERS}`;
  for (const [name, state] of [
    ["share of answers with figures", "Atoms of water\nA. 3 atoms\nB. two\nC. four"],
    ["share of answers that are figures", "2 + 2\nA. 3\nB. 4\nC. 5 m"],
    ["answers of as many words", "The sky\nA. red\nB. green\nC. blue"],
    ["words of answers that stand in the question", "red or green\nA. red\nB. green\nC. blue"],
    ["all or none of the answers", "The sky\nA. red\nB. green\nC. none of the above"],
    ["statements to judge", "Statement 1 | The sky is blue\nA. true\nB. false\nC. unknown"],
    ["which of the following", `Lequel des tons suivants\n${ANSWERS}`],
    ["negation in the question", `Colour that is NOT of the sky\n${ANSWERS}`],
    ["question mark at the end", `Colour of the sky?\n${ANSWERS}`],
    ["colon at the end", `The sky is:\n${ANSWERS}`],
    ["blank to fill", `The sky is ____ today\n${ANSWERS}`],
    ["quotation", `The “sky” of today\n${ANSWERS}`],
    ["sentences of the question", `Look up. Name the tone\n${ANSWERS}`],
    ["figures of the question", `Tones of 7 skies\n${ANSWERS}`],
    ["words of degree", `Most frequent tone\n${ANSWERS}`],
    ["signs of formulas", `x = y\n${ANSWERS}`],
    ["abbreviations in the question", `Tone of the NASA sign\n${ANSWERS}`],
    ["answers yes or no", "The sky is blue\nA. true\nB. false\nC. unknown"],
    ["persons in the question", `Tone of her eyes\n${ANSWERS}`],
    ["year in the question", `The sky of 1987\n${ANSWERS}`],
    ["begins with a question word", `Quelle est la teinte du ciel\n${ANSWERS}`],
    ["asks how many", `How many tones has the sky\n${ANSWERS}`],
    ["words of computing", `Tone of a graph\n${ANSWERS}`],
  ] as const) {
    assert.ok(signalOf(state, name) > 0, `${name}: ${state}`);
    assert.equal(signalOf(plain, name), 0, `${name}: ${plain}`);
  }
});

test("a multi-line answer is one answer and not part of the question", () => {
  const broken = questionSignals("Name it.\nA. red\nand blue\nB) green\nC. white\nAnswer:");
  assert.deepEqual(broken, questionSignals("Name it.\nA. red and blue\nB. green\nC. white"));
});

test("every text has a number for each signal", () => {
  for (const state of ["", "\n\n", "A. \nB. \nC. ", "漢字？\nA. 一\nB. 二\nC. 三", "A.".repeat(5000)]) {
    const values = questionSignals(state);
    assert.equal(values.length, QUESTION_SIGNALS.length);
    assert.ok(values.every(Number.isFinite), state.slice(0, 20));
  }
});
