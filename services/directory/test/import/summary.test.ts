/** The summary of an item: mapped, the start of its description, or what its other fields say. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { summaryOf } from "../../src/domain/import/text.ts";
import { importAll } from "./support.ts";

const MAPPING = {
  id: "id",
  title: "nom",
  summary: "resume",
  description: "texte",
  commune: { from: "insee", by: "code" },
  departement: { from: "dep", by: "code" },
  tags: { from: "genre", split: "|" },
};

async function summaryOfRow(row: string): Promise<string | undefined> {
  const content = `id;nom;resume;texte;insee;dep;genre\n${row}\n`;
  const { accepted } = await importAll({ path: "lieux.csv", content, mapping: MAPPING });
  return accepted[0]?.item.item.summary;
}

describe("the summary of an item", () => {
  test("a summary ends at a sentence if possible, else at a word", () => {
    assert.equal(summaryOf("Court.", 300), "Court.");
    assert.equal(summaryOf(`${"a".repeat(120)}. ${"b".repeat(300)}`, 300), `${"a".repeat(120)}.`);
    assert.equal(summaryOf("mot ".repeat(100).trim(), 300), `${"mot ".repeat(74)}mot…`);
    assert.equal(summaryOf("x".repeat(400), 300).length, 300);
  });

  for (const [what, row, summary] of [
    ["is the mapped one", "1;Halle;Marché couvert;Long texte.;35238;;marché", "Marché couvert"],
    ["else the start of the description", "1;Halle;;Long texte.;35238;;marché", "Long texte."],
    [
      "else themes, commune and département",
      "1;Halle;;;35238;;marché|halle",
      "marché, halle - Rennes (Ille-et-Vilaine)",
    ],
    ["without themes, the commune", "1;Halle;;;35238;;", "Rennes (Ille-et-Vilaine)"],
    ["without a commune, the département", "1;Halle;;;;29;marché", "marché - Finistère"],
    ["names Paris once", "1;Halle;;;75056;;marché", "marché - Paris"],
    ["never repeats the title", "1;Halle;HALLE.;;35238;;marché", "marché - Rennes (Ille-et-Vilaine)"],
    ["is empty if nothing is known", "1;Halle;;;;;", ""],
  ] as const) {
    test(what, async () => assert.equal(await summaryOfRow(row), summary));
  }
});
