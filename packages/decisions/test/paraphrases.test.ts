import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseText } from "../src/text/readable.ts";
import { readParaphraseFiles, readParaphrases } from "../training/paraphrases.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";

const FEWEST = { en: 6, fr: 4 } as const;
const LONGEST = 200;

const files = readParaphraseFiles();
const paraphrases = readParaphrases();

for (const file of files)
  test(`the paraphrases of ${file.area} are groups with enough wordings in both languages and known slots`, () => {
    assert.deepEqual(Object.keys(file), ["area", "slots", "groups"]);
    assert.ok(file.groups.length > 0);
    for (const group of file.groups) {
      assert.deepEqual(Object.keys(group), ["en", "fr"]);
      assert.ok(group.en.length >= FEWEST.en, `${group.en[0]}: ${group.en.length} in English`);
      assert.ok(group.fr.length >= FEWEST.fr, `${group.en[0]}: ${group.fr.length} in French`);
    }
    const named = new Set(JSON.stringify(file.groups).match(/(?<=\{)\w+(?=\})/g));
    assert.deepEqual([...named].toSorted(), Object.keys(file.slots).toSorted());
    for (const [name, values] of Object.entries(file.slots)) assert.ok(values.length >= 2, name);
  });

test("no area is in two files", () => {
  assert.equal(new Set(files.map(({ area }) => area)).size, files.length);
});

test("every paraphrase has at most 200 characters with filled slots", () => {
  for (const { text } of paraphrases) {
    assert.match(text, /^\S(.*\S)?$/);
    assert.doesNotMatch(text, /[{}]/);
    assert.ok(text.length <= LONGEST, text);
  }
});

test("no text occurs twice, within a group or across groups", () => {
  const seen = Map.groupBy(paraphrases, ({ text }) => normaliseText(text));
  for (const [text, occurrences] of seen)
    assert.equal(occurrences.length, 1, `"${text}": ${occurrences.map(({ group }) => group).join(", ")}`);
});

test("no paraphrase is an evaluation phrasing of the experts", () => {
  const judged = new Set(
    (["tools", "helpdesk"] as const)
      .flatMap((expert) => [...readPhrasings(expert, "en"), ...readPhrasings(expert, "fr")])
      .filter((phrasing) => isHeldOut(phrasing))
      .map(({ text }) => normaliseText(text)),
  );
  assert.deepEqual(
    paraphrases.filter(({ text }) => judged.has(normaliseText(text))),
    [],
  );
});

test("reading twice gives the same texts in the same order", () => {
  assert.deepEqual(readParaphrases(), paraphrases);
});
