import assert from "node:assert/strict";
import { test } from "node:test";
import { countFrequencies, openFrequencies } from "../src/options/frequencies.ts";
import { gateFeatures, gateFor } from "../src/options/gate.ts";
import { createOptions } from "../src/options/option.ts";
import { optionSignals, SIGNAL_COUNT } from "../src/options/option-signals.ts";
import { createOptionTexts } from "../src/options/option-texts.ts";
import { plainParameter } from "../src/options/parameters.ts";
import { createQueryTerms } from "../src/options/query-terms.ts";
import { readVocabulary } from "../src/options/vocabulary.ts";
import { smallTrunk } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const frequencies = openFrequencies(countFrequencies([["weather"], ["city"]]));
const queryTermsOf = createQueryTerms(trunk, frequencies);
const read = createOptions({ texts: createOptionTexts(trunk, frequencies), exampleWeight: 1 });

/** The features after signals, score, margin and count: open parts, and properties of the request. */
function openOf(state: string, parameters: readonly string[]) {
  const option = {
    label: "weather",
    description: "Tells the weather",
    parameters: parameters.map(plainParameter),
    examples: [],
  };
  const vocabulary = readVocabulary([option], read);
  const encoding = trunk.encode(state);
  const query = queryTermsOf(encoding);
  const signals = optionSignals(encoding, query, vocabulary);
  const features = gateFeatures({ query, vocabulary, signals, scores: Float64Array.of(1), choice: 0, margin: 0 });
  const [names, place, lists, length, square, asks] = features.subarray(SIGNAL_COUNT + 6);
  return { names, place, lists, length, square, asks };
}

test("a location parameter is open if the request contains no name", () => {
  assert.equal(openOf("tell me the weather", ["city The city to look at"]).place, 1);
  assert.equal(openOf("tell me the weather in Paris", ["city The city to look at"]).place, 0);
  assert.equal(openOf("tell me the weather", ["unit Celsius or not"]).place, 0);
  assert.equal(openOf("dis-moi le temps", ["Ville où regarder"]).place, 1);
});

test("names are capitalized words within a sentence, in any Latin letters, but not its first word", () => {
  assert.equal(openOf("Tell me the weather", ["city"]).names, 0);
  assert.ok(openOf("le temps à Évreux", ["city"]).names > 0);
  assert.ok(openOf("from Paris to New York", ["city"]).names > openOf("from Paris to nowhere", ["city"]).names);
});

test("request properties count only if there are parameters", () => {
  assert.equal(openOf("What is weather?", ["city"]).asks, 1);
  assert.equal(openOf("Pourquoi pleut-il ?", ["ville"]).asks, 1);
  assert.deepEqual(openOf("What is the weather in Paris?", []), {
    names: 0,
    place: 0,
    lists: 0,
    length: 0,
    square: 0,
    asks: 0,
  });
  assert.equal(openOf("Show me what the weather is", ["city"]).asks, 0);
});

test("parameters with listed values and the words of the request are counted", () => {
  const list = `unit ${"celsius fahrenheit kelvin ".repeat(10)}`;
  assert.ok(openOf("weather", [list, list]).lists > openOf("weather", [list, "city"]).lists);
  assert.equal(openOf("weather", ["city"]).lists, 0);
  const { length, square } = openOf("the weather of tomorrow", ["city"]);
  assert.ok(length > openOf("weather", ["city"]).length);
  assert.equal(square, length * length);
});

test("functions and described options have separate gates", () => {
  const gates = {
    schema: { fits: { bias: 0, weights: [] }, floor: 0.8 },
    functions: { fits: { bias: 0, weights: [] }, floor: 0.7 },
    plain: { fits: { bias: 0, weights: [] }, floor: 0.4 },
  };
  const gateOf = (...parameters: readonly (readonly string[])[]) => {
    const options = parameters.map((own, index) => ({
      label: `option ${index}`,
      description: "Tells the weather",
      parameters: own.map(plainParameter),
      examples: [],
    }));
    return gateFor(readVocabulary(options, read), gates).floor;
  };
  assert.equal(gateOf([], ["city"]), 0.7);
  assert.equal(gateOf([], []), 0.4);
});
