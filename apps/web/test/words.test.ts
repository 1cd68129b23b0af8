import assert from "node:assert/strict";
import { test } from "node:test";
import { createTranslator } from "../map/src/i18n.ts";

test("uses the same verb for clearing all filters and removing one in both languages", () => {
  const english = createTranslator("en");
  assert.equal(english.say("clear"), "Clear filters");
  assert.equal(english.say("remove", { name: "Bretagne" }), "Remove filter: Bretagne");
  const french = createTranslator("fr");
  assert.equal(french.say("clear"), "Retirer les filtres");
  assert.equal(french.say("remove", { name: "Bretagne" }), "Retirer le filtre : Bretagne");
});
