import assert from "node:assert/strict";
import { test } from "node:test";
import { openOptionsScorer } from "../src/index.ts";
import { countFrequencies, openFrequencies } from "../src/options/frequencies.ts";
import { plainParameter } from "../src/options/parameters.ts";
import { createOptions } from "../src/options/option.ts";
import { createOptionTexts } from "../src/options/option-texts.ts";
import { trainOptions } from "../src/options/train-options.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { choiceRows, entry } from "./support/choices.ts";
import { smallTrunk } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const trained = trainOptions(trunk, { rows: choiceRows() });
const scorer = openOptionsScorer(trained.bytes, trunk);
const OPTIONS = ["weather", "refund", "password", "chat"].map(entry);

test("the scorer chooses among untrained options by name and description", () => {
  const vocabulary = scorer.vocabulary([
    { label: "login_trouble", description: "The password is lost or must be changed.", parameters: [], examples: [] },
    { label: "sky", description: "The weather: rain, sun, storms, temperature.", parameters: [], examples: [] },
  ]);
  const { choice, probabilities, confidence } = scorer.decide(trunk.encode("will it rain tomorrow"), vocabulary);
  assert.equal(vocabulary.labels[choice], "sky");
  assert.ok(confidence > 0 && confidence < 1);
  assert.ok(Math.abs(probabilities[0] + probabilities[1] - 1) < 1e-12);
});

test("10 000 permutations of the options leave every number of a label bit-identical", () => {
  const random = xorshift(21);
  const encoding = trunk.encode("please change the password, I was locked out");
  const decision = scorer.decide(encoding, scorer.vocabulary(OPTIONS));
  for (let round = 0; round < 10_000; round++) {
    const shuffled = OPTIONS.map((option) => ({ option, sortKey: random() }))
      .toSorted((a, b) => a.sortKey - b.sortKey)
      .map(({ option }) => option);
    assert.deepEqual(scorer.decide(encoding, scorer.vocabulary(shuffled)), decision);
  }
});

for (const count of [1, 2, 255])
  test(`probabilities of ${count} options are finite and sum to 1 for any request`, () => {
    const vocabulary = scorer.vocabulary(Array.from({ length: count }, (_, index) => entry(`option ${index}`)));
    for (const text of ["rain", "", "🙂🙂", "東京の天気", "option 7 ".repeat(4000)]) {
      const { probabilities, choice, margin } = scorer.decide(trunk.encode(text), vocabulary);
      assert.ok(Math.abs(probabilities.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
      assert.ok(probabilities.every((p) => p <= probabilities[choice]));
      assert.ok(margin >= 0);
    }
  });

test("identical options share the probability, and the first label is chosen", () => {
  const same = { description: "", parameters: [], examples: [] };
  const vocabulary = scorer.vocabulary([
    { ...same, label: "🙂" },
    { ...same, label: "…" },
  ]);
  const { choice, probabilities } = scorer.decide(trunk.encode("will it rain"), vocabulary);
  assert.deepEqual([choice, ...probabilities], [0, 0.5, 0.5]);
});

test("examples attract requests to their option", () => {
  const bare = { description: "", parameters: [], examples: [] };
  const withExamples = scorer.vocabulary([
    { ...bare, label: "a", examples: ["will it rain", "is a storm coming"] },
    { ...bare, label: "b" },
  ]);
  const { choice } = scorer.decide(trunk.encode("forecast of rain for the weekend"), withExamples);
  assert.equal(withExamples.labels[choice], "a");
});

test("an explanation adds up to the logit difference over 1 000 texts", () => {
  const random = xorshift(4);
  const vocabulary = scorer.vocabulary(OPTIONS);
  const words = OPTIONS.flatMap(({ description }) => description.split(" "));
  for (let round = 0; round < 1000; round++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 9) }, () => words[Math.floor(random() * words.length)]);
    const encoding = trunk.encode(text.join(" "));
    const { probabilities, choice } = scorer.decide(encoding, vocabulary);
    const versus = (choice + 1) % OPTIONS.length;
    const explanation = scorer.explain(encoding, vocabulary, { choice, versus, most: 3 });
    const listed = explanation.evidence.reduce((sum, { contribution }) => sum + contribution, 0);
    assert.ok(Math.abs(explanation.bias + listed + explanation.other - explanation.logitDifference) < 1e-9);
    const difference = Math.log(probabilities[choice]) - Math.log(probabilities[versus]);
    assert.ok(Math.abs(explanation.logitDifference - difference) < 1e-9);
  }
});

test("the same rows give the same bytes", () => {
  assert.deepEqual(trainOptions(trunk, { rows: choiceRows() }).bytes, trained.bytes);
});

test("cached and evicted option texts give the same result as the first time", () => {
  const frequencies = openFrequencies(countFrequencies([["weather"]]));
  const texts = createOptionTexts(trunk, frequencies, 2);
  const [first, second, third] = ["weather today", "refund my order", "x".repeat(2000)].map((text) => texts.read(text));
  assert.equal(texts.read("weather today"), first);
  texts.read("two more");
  texts.read("texts");
  assert.notEqual(texts.read("weather today"), first);
  assert.deepEqual(texts.read("weather today").unit(), first.unit());
  assert.deepEqual(texts.read("refund my order").stems, second.stems);
  assert.notEqual(texts.read("x".repeat(2000)), third, "long texts are not kept");
});

const MANY = 1_000_000;

function optionsKeeping(options: number, characters = MANY) {
  const texts = createOptionTexts(trunk, openFrequencies(countFrequencies([["weather"]])));
  return createOptions({ texts, exampleWeight: 1 }, { options, characters });
}

test("options are cached by their whole description, and the oldest are evicted", () => {
  const optionOf = optionsKeeping(4);
  const first = optionOf(entry("weather"));
  assert.equal(optionOf({ ...entry("weather"), parameters: [] }), first);
  const others = [
    { ...entry("weather"), description: "sun" },
    { ...entry("weather"), parameters: [plainParameter("city")] },
    { ...entry("weather"), examples: ["city"] },
    { ...entry("weather"), description: `[["city"],[]]${entry("weather").description}` },
  ];
  for (const other of others) assert.notDeepEqual(optionOf(other), first);
  assert.notEqual(optionOf(entry("weather")), first, "the first was let go for the others");
  assert.deepEqual(optionOf(entry("weather")), first);
});

test("an oversized option is not cached and evicts no other", () => {
  const optionOf = optionsKeeping(100, 1000);
  const long = { ...entry("weather"), description: "sun ".repeat(300) };
  const short = optionOf(entry("refund"));
  assert.notEqual(optionOf(long), optionOf(long));
  assert.equal(optionOf(entry("refund")), short);
});

test("context terms have the trunk's weight, whatever the options and the order", () => {
  const encoding = trunk.encode("change my password", "will it rain, is there a storm, my order was not paid back");
  const decision = scorer.decide(encoding, scorer.vocabulary(OPTIONS));
  assert.deepEqual(scorer.decide(encoding, scorer.vocabulary(OPTIONS.toReversed())), decision);
  assert.notDeepEqual(scorer.decide(trunk.encode("change my password"), scorer.vocabulary(OPTIONS)), decision);
});

test("the words of examples do not count as words of the option, however many there are", () => {
  const examples = Array.from({ length: 40 }, (_, n) =>
    Array.from({ length: 64 }, (_, m) => word(n * 64 + m)).join(" "),
  );
  const optionOf = optionsKeeping(4);
  const option = { label: "many", description: "Counts sheep.", parameters: [], examples: [] };
  const { stems, pairs, whole } = optionOf(option);
  const withExamples = optionOf({ ...option, examples });
  assert.deepEqual([withExamples.stems, withExamples.pairs], [stems, pairs]);
  assert.notDeepEqual(withExamples.whole, whole);
});

/** One word per number, with distinct stems. */
function word(number: number): string {
  return String(number + 1000).replaceAll(/\d/g, (digit) => "bcdfghjklm"[Number(digit)] ?? "");
}
