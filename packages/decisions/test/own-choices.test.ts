/**
 * The option sets of the team: whether they are complete and balanced between the languages, and how the shipped scorer
 * performs on them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadBundledModels } from "../src/bundled-models.ts";
import { CHOICE_FORMS, readChoiceDomains, readOwnChoices } from "../training/own-choices.ts";

test("each domain has distinct labels and equally many requests in both languages", () => {
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

test("French options are chosen right at least 90 % as often as English ones, with and without descriptions", () => {
  const { options: scorer, trunk } = loadBundledModels();
  const rightShare = (language: "en" | "fr", form: (typeof CHOICE_FORMS)[number]) => {
    const rows = readOwnChoices(language, form).filter(({ expected }) => expected !== null);
    const right = rows.filter(({ text, options, expected }) => {
      const vocabulary = scorer.vocabulary(options);
      return vocabulary.labels[scorer.decide(trunk.encode(text), vocabulary).choice] === expected;
    });
    return right.length / rows.length;
  };
  for (const form of CHOICE_FORMS) {
    const english = rightShare("en", form);
    const french = rightShare("fr", form);
    assert.ok(french >= 0.9 * english, `${form}: French ${french}, English ${english}`);
  }
});
