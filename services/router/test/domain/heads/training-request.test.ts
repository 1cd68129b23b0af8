import assert from "node:assert/strict";
import { test } from "node:test";
import { countTexts, lessonOf, type TrainingRequest } from "../../../src/domain/heads/training-request.ts";

const yieldToEvents = () => Promise.resolve();

function request(more: Partial<TrainingRequest> = {}): TrainingRequest {
  return {
    name: "acme",
    routes: [
      { route: "weather", kind: null, description: "", phrasings: ["will it {fall}", "is it cold"] },
      { route: "chat", kind: null, description: "", phrasings: [] },
      { route: "person", kind: "escalate", description: "", phrasings: [] },
    ],
    slots: new Map([["fall", ["rain", "snow"]]]),
    examples: [{ text: "hello", context: "", route: "chat", lang: "en" }],
    settings: { gate: "floor", alpha: 0.05, minConf: null, auto: false, domain: null, languages: [] },
    plus: "auto",
    seed: 1,
    outOfScopeShare: 0.2,
    ...more,
  };
}

test("texts of one phrasing share a group, an example is its own group, and kinds default by name", async () => {
  const { examples, routes } = await lessonOf(request(), yieldToEvents);
  assert.deepEqual(
    examples.map(({ text, route, group }) => [text, route, group]),
    [
      ["will it rain", "weather", "will it {fall}"],
      ["will it snow", "weather", "will it {fall}"],
      ["is it cold", "weather", "is it cold"],
      ["hello", "chat", undefined],
    ],
  );
  assert.deepEqual(
    routes.map(({ kind }) => kind),
    ["tool", "chat", "escalate"],
  );
});

test("the total number of texts stays within its limit for any number of phrasings and values", async () => {
  const values = Array.from({ length: 200 }, (_, index) => `value ${index}`);
  const phrasings = Array.from({ length: 500 }, (_, index) => `phrasing ${index} {fall}`);
  const routes = [{ route: "weather", kind: null, description: "", phrasings }];
  const slots = new Map([["fall", values]]);
  const { examples } = await lessonOf(request({ routes, slots, examples: [] }), yieldToEvents);
  assert.ok(examples.length <= 50_000 && examples.length > 49_000, `${examples.length}`);
  assert.equal(new Set(examples.map(({ group }) => group)).size, 500);
});

test("duplicates for training count once, and routes with fewer than two texts are reported by index", async () => {
  const example = (text: string, route: string | null) => ({ text, context: "", route, lang: null });
  const examples = ["a", "A", "b", "c", "d", "e"].map((text) => example(text, "chat")).concat(example("x", null));
  const lesson = await lessonOf(request({ examples }), yieldToEvents);
  const { routes, short } = await countTexts(lesson, { keyOf: (text) => text.toLowerCase(), yieldToEvents });
  assert.deepEqual(
    routes.map(({ texts }) => texts),
    [3, 5, 0],
  );
  assert.deepEqual(short, [{ index: 2, texts: 0 }]);
});

test("the order of slot values does not change the texts, even if combinations are sampled", async () => {
  const numbers = Array.from({ length: 30 }, (_, index) => String(index));
  const routes = [{ route: "weather", kind: null, description: "", phrasings: ["will {one} fall on {other}"] }];
  const textsFrom = async (values: readonly string[]) => {
    const slots = new Map(["one", "other"].map((slot) => [slot, values]));
    const { examples } = await lessonOf(request({ routes, slots, examples: [] }), yieldToEvents);
    return new Set(examples.map(({ text }) => text));
  };
  const texts = await textsFrom(numbers);
  assert.equal(texts.size, 200);
  assert.deepEqual(texts, await textsFrom(numbers.toReversed()));
});

test("yields to other work while many texts are expanded and counted", async () => {
  const breaths: string[] = [];
  const breathing = (what: string) => () => {
    breaths.push(what);
    return Promise.resolve();
  };
  const phrasings = Array.from({ length: 40 }, (_, index) => `${index} ${"word ".repeat(1000)}`);
  const routes = [{ route: "weather", kind: null, description: "", phrasings }];
  const lesson = await lessonOf(request({ routes }), breathing("made"));
  await countTexts(lesson, { keyOf: (text) => text, yieldToEvents: breathing("counted") });
  for (const what of ["made", "counted"]) assert.ok(breaths.filter((breath) => breath === what).length >= 5, what);
});
