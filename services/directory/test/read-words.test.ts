import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { fold, splitFolded } from "../src/domain/analyse.ts";
import { createTokenizer } from "../src/domain/read-terms.ts";
import { runs } from "./support/runs.ts";

const read = createTokenizer();
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  read(text, (units, from, to) => tokens.push(String.fromCharCode(...units.subarray(from, to))));
  return tokens;
}

const french = fc
  .array(
    fc.constantFrom(...Array.from("aàâäbcçdeéèêëiîïnñoôöuùûüyÿœŒæÆßÉÀ0123 .,;:!?'’«»–—…½²µªŉſİǅ\u00ad\u00a0\u0000")),
    {
      maxLength: 40,
    },
  )
  .map((letters) => letters.join(""));
const latin = fc
  .array(fc.integer({ min: 0, max: 0x2060 }), { maxLength: 30 })
  .map((units) => String.fromCharCode(...units));
const anything = fc.string({ unit: "binary", maxLength: 30 });

test("gives the words of the analyser for French and any other text", () => {
  fc.assert(
    fc.property(fc.oneof(french, latin, anything), (text) => {
      assert.deepEqual(tokensOf(text), splitFolded(fold(text)));
    }),
    { seed: 24, numRuns: runs(3000) },
  );
});

test("reads every letter like the analyser, alone and between others", () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `a${String.fromCharCode(unit)}Z ${String.fromCharCode(unit)}`;
    assert.deepEqual(tokensOf(text), splitFolded(fold(text)), `U+${unit.toString(16)}`);
  }
});

test("reads a long text completely", () => {
  const text = "Éléphant…".repeat(20_000);
  assert.equal(tokensOf(text).length, 20_000);
});
