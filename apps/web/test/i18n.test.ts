import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage, createTranslator, type Translation } from "../shared/i18n.ts";

const ENGLISH = { hello: "Hello {name}", left: { one: "{count} decision left", other: "{count} decisions left" } };
const FRENCH = { hello: "Bonjour {name}", left: { one: "{count} décision", other: "{count} décisions" } };

test("selects the requested language, else the first supported one of the browser, else English", () => {
  assert.equal(chooseLanguage("fr", ["en-GB"]), "fr");
  assert.equal(chooseLanguage(null, ["de-DE", "fr-CA", "en"]), "fr");
  assert.equal(chooseLanguage("de", ["en-GB", "fr"]), "en");
  assert.equal(chooseLanguage(null, ["de"]), "en");
});

test("fills placeholders, and chooses the plural of the language", () => {
  const [english, french] = [createTranslator("en", ENGLISH), createTranslator("fr", FRENCH)];
  assert.equal(english.say("hello", { name: "{name}" }), "Hello {name}");
  assert.equal(english.say("left", { count: 0 }), "0 decisions left");
  assert.equal(english.say("left", { count: 12_345 }), "12,345 decisions left");
  assert.equal(french.say("left", { count: 0 }), "0 décision");
  assert.equal(french.say("left", { count: 1_000_000 }).replaceAll(/\s/g, " "), "1 000 000 décisions");
});

test("checks keys, placeholders and completeness at compile time", () => {
  const texts = { hello: "Hello {name}", left: { one: "{count} left", other: "{count} left" } } as const;
  // @ts-expect-error a text is missing
  const incomplete: Translation<typeof texts> = { hello: "Bonjour {name}" };
  const { say } = createTranslator<typeof texts>("fr", { hello: "Bonjour {name}", left: texts.left });
  assert.equal(say("hello", { name: "Léa" }), "Bonjour Léa");
  // @ts-expect-error a placeholder is missing
  assert.equal(say("hello", {}), "Bonjour ");
  // @ts-expect-error no such text
  assert.throws(() => say("helo"));
  assert.ok(!("left" in incomplete));
});
