/** The lists of synonyms: reading, and the one that ships with the program. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { readSynonyms } from "../src/domain/search/read-synonyms.ts";
import { starterSynonyms } from "../src/store/starter-synonyms.ts";
import { createSynonyms } from "../src/domain/search/synonyms.ts";
import { analyse } from "../src/domain/analyse.ts";

const termsOf = (phrase: string) => analyse(phrase).flatMap(({ stop, term }) => (stop ? [] : [term]));

describe("a list of synonyms", () => {
  it("names every issue with its line", () => {
    const { groups, issues } = readSynonyms("musée,museum\n# comment\nseul\n\nde,mairie\n+,gare\nport, port\n");
    assert.deepEqual(groups, [["musée", "museum"]]);
    assert.deepEqual(issues, [
      "line 3: a group must have at least two different terms",
      'line 5: "de" has only stop words',
      'line 6: "+" has no letter or digit',
      "line 7: a group must have at least two different terms",
    ]);
  });

  it("is empty with an issue for an empty file, and reads semicolons", () => {
    assert.deepEqual(readSynonyms("").issues, ["the file has no group"]);
    assert.deepEqual(readSynonyms("mairie;hôtel de ville").groups, [["mairie", "hôtel de ville"]]);
  });

  it("has comments only on lines of their own", () => {
    const { groups, issues } = readSynonyms('# languages\nquai #3,quai trois\n"#metoo",metoo\n');
    assert.deepEqual(groups, [
      ["quai #3", "quai trois"],
      ["#metoo", "metoo"],
    ]);
    assert.deepEqual(issues, []);
  });

  it("finds the longest phrase, and joins the groups of a term", () => {
    const synonyms = createSynonyms([
      ["hôtel de ville", "mairie"],
      ["hôtel", "auberge"],
      ["mairie", "town hall"],
    ]);
    const found = synonyms.find(termsOf("hôtel de ville de Brest"), 0);
    assert.deepEqual([found?.length, found?.equivalents], [2, [termsOf("mairie")]]);
    assert.deepEqual(synonyms.find(termsOf("hôtel Brest"), 0)?.equivalents, [termsOf("auberge")]);
    assert.equal(synonyms.find(termsOf("mairie"), 0)?.equivalents.length, 2);
    assert.equal(synonyms.find(termsOf("gare"), 0), null);
  });

  it("finds single words with a letter more, less or wrong, or two exchanged", () => {
    const synonyms = createSynonyms([["bookstore", "librairie", "vente de livres"]]);
    for (const typed of ["bokstore", "bookstoree", "bookstare", "bookstroe", "ookstore", "obokstore", "bookstor"])
      assert.deepEqual(synonyms.near(typed), ["bookstore"], typed);
    for (const typed of ["bookstore", "bookstroee", "ooktsore", "book", "vent", "livre"])
      assert.deepEqual(synonyms.near(typed), [], typed);
  });
});

describe("the built-in list", () => {
  it("has at least 300 valid groups", () => {
    const text = readFileSync(new URL("../src/store/synonyms-fr.csv", import.meta.url), "utf8");
    assert.deepEqual(readSynonyms(text).issues, []);
    assert.ok(starterSynonyms().groups.length >= 300);
  });
});
