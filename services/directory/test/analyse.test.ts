/** Text analysis against a golden file, invariants of folding, and PostgreSQL's stemmer. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import * as fc from "fast-check";
import { frenchText } from "../bench/french-text.ts";
import { analyse, ANALYSER_VERSION, fold, letterCount, STOP_WORDS, termOf } from "../src/domain/analyse.ts";
import { readQueryText } from "../src/domain/search/query-text.ts";
import { seeded } from "./support/random.ts";
import { runs } from "./support/runs.ts";

const GOLDEN = readFileSync(new URL("fixtures/analyse/words.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t"));

describe("the analyser", () => {
  it("returns the golden results for 300 words (a change requires another ANALYSER_VERSION)", () => {
    assert.equal(ANALYSER_VERSION, 2);
    assert.equal(GOLDEN.length, 300);
    for (const [text, surfaces, terms] of GOLDEN) {
      const tokens = analyse(text);
      assert.equal(tokens.map(({ surface }) => surface).join(" "), surfaces, text);
      assert.equal(tokens.map(({ term }) => term).join(" "), terms, text);
    }
  });

  it("treats apostrophes, hyphens, spaces and other punctuation as the same separator", () => {
    const expected = analyse("l ile d oleron");
    for (const text of [
      "l'île d'Oléron",
      "L’ÎLE D’OLÉRON",
      "l-ile-d-oleron",
      "l_ile/d.oleron",
      "l\u00a0île\td'oléron",
      "«l'île» d'Oléron!",
    ]) {
      assert.deepEqual(analyse(text), expected, text);
    }
  });

  it("expands ligatures and compatibility forms, and ignores the encoding of accents", () => {
    assert.deepEqual(analyse("CŒUR ﬁn Straße ½"), analyse("coeur fin strasse 1 2"));
    assert.deepEqual(analyse("e\u0301te\u0301"), analyse("été"));
  });

  it("returns its own surfaces unchanged for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" })), (text) => {
        for (const token of analyse(text)) {
          assert.deepEqual(analyse(token.surface), [token]);
          assert.equal(fold(token.surface), token.surface);
          assert.notEqual(token.term, "");
        }
      }),
      { seed: 1, numRuns: runs(3000) },
    );
  });

  it("reads two texts joined by a space like each text separately", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
        assert.deepEqual(analyse(`${one} ${other}`), [...analyse(one), ...analyse(other)]);
      }),
      { seed: 2, numRuns: runs(1000) },
    );
  });

  it("folds the characters of French text as in a text of any other characters", () => {
    const codes = fc.oneof(
      fc.integer({ min: 0, max: 0xff }),
      fc.integer({ min: 0x2010, max: 0x203a }),
      fc.constantFrom(...Array.from("éèÀçœŒ’«»", (letter) => letter.charCodeAt(0))),
    );
    fc.assert(
      fc.property(fc.array(codes, { maxLength: 12 }), (found) => {
        const text = String.fromCharCode(...found);
        assert.equal(`${fold(text)} 一`, fold(`${text} 一`));
      }),
      { seed: 3, numRuns: runs(5000) },
    );
  });

  it("distinguishes stop words from words with the same stem", () => {
    assert.notEqual(termOf("danse"), termOf("dans"));
    for (const word of STOP_WORDS) assert.equal(termOf(word), `_${word}`);
  });
});

describe("a query", () => {
  it("drops stop words unless there are no other words", () => {
    assert.deepEqual(
      readQueryText("le musée de la mer").tokens.map(({ surface }) => surface),
      ["musee", "mer"],
    );
    assert.deepEqual(
      readQueryText("Sur les").tokens.map(({ surface }) => surface),
      ["sur", "les"],
    );
    assert.equal(readQueryText("Sur les").stopOnly, true);
  });

  it("treats only a last word of 3 or more letters as unfinished, and never a stop word", () => {
    for (const [text, unfinished] of [
      ["mus", true],
      ["art mus", true],
      ["mu", false],
      ["mus ", false],
      ["mus'", false],
      ["musée, ", false],
      ["musée de", false],
      ["les", false],
      ["dans", false],
      ["île", true],
      ["75001", true],
      ["", false],
      ["…", false],
    ] as const) {
      assert.equal(readQueryText(text).unfinished, unfinished, `"${text}"`);
    }
  });
});

forEachEngine<unknown>("PostgreSQL's French stemmer", { migrations: [], engines: ["PostgreSQL"] }, (open) => {
  it("gives the same stems as PostgreSQL for all folded words", async () => {
    await using database = await open();
    const text = frenchText(seeded(5));
    const sample = Array.from({ length: 20_000 }, () => fold(text.word()));
    const golden = GOLDEN.flatMap(([, surfaces]) => surfaces.split(" "));
    // PostgreSQL also stems short words and numbers; the contract exempts words below 4 letters.
    const words = [...new Set([...golden, ...sample])].filter(
      (word) => letterCount(word) >= 4 && !STOP_WORDS.has(word),
    );
    assert.ok(words.length > 3000);
    await sql`create text search dictionary stem_only (template = snowball, language = french)`.execute(database.db);
    const { rows } = await sql<{ word: string; stem: string }>`
      select word, (ts_lexize('stem_only', word))[1] as stem from unnest(${words}::text[]) as word`.execute(
      database.db,
    );
    assert.deepEqual(
      rows.filter(({ word, stem }) => termOf(word) !== stem),
      [],
    );
    assert.equal(rows.length, words.length);
  });
});
