import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { fitLexical, fitLexicalRows } from "../src/head/fit-lexical.ts";
import { readLexicalRows } from "../src/head/lexical-rows.ts";
import { LEXICON } from "../src/head/lexical.ts";
import { STEM_LEXICON } from "../src/head/lexical-stems.ts";
import { tokenise } from "../src/text/tokenise.ts";

const featuresOf = (text: string) => LEXICON.featuresOf(tokenise(text).tokens);

test("every feature has a name, and together they have length 1", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80, unit: "grapheme" }), (text) => {
      for (const lexicon of [LEXICON, STEM_LEXICON]) {
        const { tokens } = tokenise(text);
        const { ids, value } = lexicon.featuresOf(tokens);
        assert.equal(lexicon.namesOf(tokens).length, ids.length);
        assert.ok(ids.length === 0 ? value === 0 : Math.abs(ids.length * value ** 2 - 1) < 1e-12);
        assert.ok(ids.every((id) => id < 2 ** 20));
      }
    }),
  );
});

test("distinguishes texts that differ only in the order of their function words", () => {
  const from = featuresOf("when is the next train from munich to berlin").ids;
  const to = featuresOf("when is the next train to munich from berlin").ids;
  assert.ok(from.filter((id) => !to.includes(id)).length >= 3);
});

test("texts of one word share features with their inflections, and a sign has no characters", () => {
  const shared = (a: string, b: string) => {
    const { ids } = featuresOf(b);
    return featuresOf(a).ids.filter((id) => ids.includes(id)).length;
  };
  assert.ok(shared("refund", "refunds") >= 8);
  assert.equal(shared("refund", "weather"), 0);
  assert.deepEqual(LEXICON.namesOf(tokenise("?").tokens), ["?", "^ ?", "? $"]);
});

test("a linear model learns a rule that no single word shows", () => {
  const cities = ["munich", "berlin", "paris", "lyon", "rome", "oslo"];
  const texts = cities.flatMap((city) => [
    { text: `a ticket from ${city}`, label: 0 },
    { text: `a ticket to ${city}`, label: 1 },
  ]);
  const labels = Int32Array.from(texts, ({ label }) => label);
  const features = texts.map(({ text }) => featuresOf(text));
  const { ids, weights, bias } = fitLexical({ features, labels, classes: 2 }, { least: 1, seed: 1 });
  const rowOf = new Map(Array.from(ids, (id, row) => [id, row]));
  const scoreOf = (text: string, route: number) => {
    const { ids: found, value } = featuresOf(text);
    const rows = Array.from(found).flatMap((id) => rowOf.get(id) ?? []);
    return rows.reduce((sum, row) => sum + value * weights[row * 2 + route], bias[route]);
  };
  for (const city of ["madrid", "vienna"]) {
    assert.ok(scoreOf(`a ticket from ${city}`, 0) > scoreOf(`a ticket from ${city}`, 1));
    assert.ok(scoreOf(`a ticket to ${city}`, 1) > scoreOf(`a ticket to ${city}`, 0));
  }
});

test("a heavier row moves the boundary towards the other route", () => {
  const features = ["one two", "two three"].map(featuresOf);
  const biasWith = (weights: readonly number[]) =>
    fitLexical({ features, labels: Int32Array.of(0, 1), classes: 2, weights }, { least: 1, seed: 1 }).bias[0];
  assert.ok(biasWith([4, 0.25]) > biasWith([1, 1]));
});

test("the weights of a route depend neither on the number of routes nor on rows that are not chosen", () => {
  const texts = [
    "refund my order",
    "money back",
    "where is my parcel",
    "track it",
    "talk to a person",
    "a human please",
  ];
  const features = texts.map(featuresOf);
  const labels = [0, 0, 1, 1, 2, 2];
  const task = { chosen: [0, 1, 2, 3, 4, 5], seed: 1 };
  const rows = readLexicalRows(features, 1);
  const of = (own: readonly number[], classes: number) =>
    fitLexicalRows(rows, { ...task, labels: Int32Array.from(own), classes });
  const three = of(labels, 3);
  const moved = of(
    labels.map((label) => 6 - label),
    7,
  );
  for (const label of [0, 1, 2]) {
    assert.equal(moved.bias[6 - label], three.bias[label]);
    for (let row = 0; row < three.ids.length; row++)
      assert.equal(moved.weights[row * 7 + 6 - label], three.weights[row * 3 + label]);
  }
  const part = fitLexicalRows(rows, { ...task, chosen: [0, 2], labels: Int32Array.of(0, 1), classes: 2 });
  const unread = features[4].ids.filter((id) => !features[0].ids.includes(id) && !features[2].ids.includes(id));
  for (const id of unread) assert.equal(part.weights[part.ids.indexOf(id) * 2], 0);
});

test("a fit to some rows makes the same choices whether it starts from a fit to all rows or from zero", () => {
  const topics = [
    ["refund", "money", "return"],
    ["parcel", "track", "delivery"],
    ["person", "human", "agent"],
  ];
  const texts = topics.flatMap((words, label) =>
    words.flatMap((word) => [`my ${word} please`, `a ${word} now`].map((text) => ({ text, label }))),
  );
  const features = texts.map(({ text }) => featuresOf(text));
  const labels = Int32Array.from(texts, ({ label }) => label);
  const rows = readLexicalRows(features, 1);
  const every = Int32Array.from(labels.keys());
  const { duals } = fitLexicalRows(rows, { chosen: every, labels, classes: 3, seed: 1 });
  const chosen = every.filter((row) => row % 4 !== 0);
  const task = { chosen, labels: chosen.map((row) => labels[row]), classes: 3, seed: 1 };
  const cold = fitLexicalRows(rows, task);
  const warm = fitLexicalRows(rows, { ...task, start: duals });
  assert.ok(
    every.every((row) => warm.duals.subarray(row * 3, row * 3 + 3).every((dual) => dual === 0 || row % 4 !== 0)),
  );
  for (const [at, weight] of cold.weights.entries()) assert.ok(Math.abs(weight - warm.weights[at]) < 0.05, `${weight}`);
});
