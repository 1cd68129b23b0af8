/** The option sets of the team: complete, balanced between the languages, and disjoint from held-back texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readChoiceDomains, readOwnChoices } from "../training/own-choices.ts";

test("each domain has the same number of requests in both languages, and distinct labels", () => {
  for (const { domain, options, nothing } of readChoiceDomains()) {
    for (const language of ["en", "fr"] as const)
      assert.equal(new Set(options.map(({ label }) => label[language])).size, options.length, domain);
    for (const option of options) assert.equal(option.en.length, option.fr.length, `${domain}: ${option.label.en}`);
    assert.equal(nothing.en.length, nothing.fr.length, domain);
  }
});

test("there are at least 100 distinct requests in each language", () => {
  for (const language of ["en", "fr"] as const) {
    const texts = readOwnChoices(language, "described").map(({ text }) => text);
    assert.ok(texts.length >= 100);
    assert.equal(new Set(texts).size, texts.length);
  }
});
