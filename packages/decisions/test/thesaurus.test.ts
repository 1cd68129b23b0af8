import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseText } from "../src/text/readable.ts";
import { readThesaurus, readThesaurusFiles } from "../training/thesaurus.ts";

/** Smaller concepts connect too few expressions to be useful. */
const FEWEST = 3;
const LONGEST = 60;

const files = readThesaurusFiles();
const expressions = readThesaurus();

for (const { field, concepts, ...rest } of files)
  test(`every concept of ${field} has enough expressions in both languages`, () => {
    assert.deepEqual(rest, {});
    assert.ok(concepts.length > 0);
    for (const concept of concepts) {
      assert.deepEqual(Object.keys(concept), ["en", "fr"]);
      assert.ok(concept.en.length >= FEWEST, `${concept.en[0]}: ${concept.en.length} in English`);
      assert.ok(concept.fr.length >= FEWEST, `${concept.en[0]}: ${concept.fr.length} in French`);
    }
  });

test("no field is in two files", () => {
  assert.equal(new Set(files.map(({ field }) => field)).size, files.length);
});

test("every expression has at most 60 characters and contains letters or digits", () => {
  for (const { text } of expressions) {
    assert.match(text, /^\S(.*\S)?$/);
    assert.notEqual(normaliseText(text), "", text);
    assert.ok(text.length <= LONGEST, text);
  }
});

test("no expression occurs twice in a field, within a concept or across concepts", () => {
  const seen = Map.groupBy(expressions, ({ field, text }) => `${field}: ${normaliseText(text)}`);
  for (const [text, occurrences] of seen)
    assert.equal(occurrences.length, 1, `${text}: ${occurrences.map(({ concept }) => concept).join(", ")}`);
});

test("a concept is identified by field and index, and keeps its expressions unchanged", () => {
  const byConcept = Map.groupBy(expressions, ({ concept }) => concept);
  for (const { field, concepts } of files)
    for (const [index, { en, fr }] of concepts.entries())
      assert.deepEqual(
        byConcept.get(`${field} ${index}`)?.map(({ text }) => text),
        [...en, ...fr],
      );
});
