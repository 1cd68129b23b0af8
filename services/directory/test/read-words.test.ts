import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { fold, splitFolded } from "../src/domain/analyse.ts";
import { createWordReader } from "../src/domain/index/read-words.ts";
import { createStringInterner } from "../src/domain/string-interner.ts";
import { runs } from "./support/runs.ts";

const someOf = (characters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...Array.from(characters)), { maxLength });
const french = someOf("aeéÈçÇœŒæßÿØµ²½ªb1 '’-–…«»·.,\u00ad\t", 40);
const anyCharacter = fc.array(fc.string({ unit: "grapheme", maxLength: 2 }), { maxLength: 20 });
/** Letters followed by combining marks, mixed with French letters. */
const combined = someOf("aoe =<\u0301\u0308\u0338\u0327é", 20);

test("the index builder reads the same words as the analyser", () => {
  const names = createStringInterner();
  const wordsOf = createWordReader(names);
  fc.assert(
    fc.property(fc.oneof(french, anyCharacter, combined), (characters) => {
      const text = characters.join("").toWellFormed();
      assert.deepEqual(wordsOf(text).map(names.textAt), splitFolded(fold(text)), JSON.stringify(text));
    }),
    { seed: 27, numRuns: runs(2000) },
  );
});

test("each character of French texts is read as the analyser folds it", () => {
  const names = createStringInterner();
  const wordsOf = createWordReader(names);
  for (let code = 0; code < 0x2100; code++) {
    const text = `x${String.fromCharCode(code)}y ${String.fromCharCode(code)}`;
    assert.deepEqual(wordsOf(text).map(names.textAt), splitFolded(fold(text)), `U+${code.toString(16)}`);
  }
});
