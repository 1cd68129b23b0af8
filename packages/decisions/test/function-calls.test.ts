import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseText } from "../src/text/readable.ts";
import { readCallsWithExamples, readFunctionCalls, readFunctionDomains } from "../training/function-calls.ts";

const LANGUAGES = ["en", "fr"] as const;
const domains = readFunctionDomains();
const rows = readFunctionCalls({ isHeldOut: () => false });

for (const { domain, functions, nothing } of domains)
  test(`the domain ${domain} has eight distinct functions, and messages that none of them serves`, () => {
    assert.equal(new Set(functions.map(({ name }) => name)).size, 8);
    for (const language of LANGUAGES) {
      assert.equal(nothing[language].length, 8);
      for (const each of functions) {
        assert.equal(each[language].length, 3, each.name);
        assert.equal(each.incomplete?.[language].length ?? 0, each.required.length > 0 ? 1 : 0, each.name);
        assert.notEqual(each.description[language], "");
      }
    }
    for (const { name, parameters, required } of functions)
      for (const needed of required) assert.ok(needed in parameters, `${name}: ${needed}`);
  });

test("no message of a domain occurs twice, neither for one function nor for two", () => {
  for (const { domain, functions, nothing } of domains) {
    const texts = [...functions, ...functions.flatMap(({ incomplete }) => incomplete ?? []), nothing]
      .flatMap(({ en, fr }) => [...en, ...fr])
      .map(normaliseText);
    assert.equal(new Set(texts).size, texts.length, domain);
  }
});

test("requests with and without their function are offered equally many functions", () => {
  const offered = rows.filter(({ form }) => form === "schema");
  const sizesOf = (fits: boolean) =>
    [
      ...new Set(offered.filter(({ expected }) => (expected !== null) === fits).map(({ options }) => options.length)),
    ].toSorted((a, b) => a - b);
  assert.deepEqual(sizesOf(true), [1, 2, 4, 7]);
  assert.deepEqual(sizesOf(false), [1, 2, 4, 7]);
});

test("without a required value no function is called, if a schema says that it is required", () => {
  const incomplete = new Set(
    domains.flatMap(({ functions }) => functions.flatMap((each) => Object.values(each.incomplete ?? {}).flat())),
  );
  const found = rows.filter(({ text }) => incomplete.has(text));
  assert.ok(found.length > 200);
  for (const { expected, form } of found) assert.deepEqual([expected, form], [null, "schema"]);
});

test("an example of a function is never the request itself", () => {
  for (const { text, options } of readCallsWithExamples({ isHeldOut: () => false }))
    for (const { examples } of options) {
      assert.equal(examples.length, 2);
      assert.ok(!examples.includes(text), text);
    }
});
