import assert from "node:assert/strict";
import { test } from "node:test";
import { xorshift } from "../src/math/xorshift.ts";
import { tableOfOwnRows } from "../src/text/own-embedding-rows.ts";
import { piecesOf, hashOfPiece, rowsOfWord } from "../src/text/rows.ts";

test("a row table equals a map of the same hashes, including equal and adjacent ones", () => {
  const random = xorshift(5);
  const hashes = Uint32Array.from({ length: 3000 }, (_, n) => (n % 3 === 0 ? n % 700 : Math.floor(random() * 2 ** 32)));
  const map = new Map([...hashes].map((hash, row) => [hash, row]));
  const table = tableOfOwnRows(hashes);
  assert.equal(table.size, map.size);
  const lookups = [
    ...hashes,
    ...Array.from({ length: 3000 }, (_, n) => (n % 2 === 0 ? n : Math.floor(random() * 2 ** 32))),
  ];
  for (const hash of lookups) assert.equal(table.get(hash), map.get(hash), String(hash));
});

test("a table without rows contains none", () => {
  const table = tableOfOwnRows(new Uint32Array());
  assert.equal(table.size, 0);
  assert.equal(table.get(0), undefined);
});

test("the rows of a word's n-grams are those of its substrings, in order", () => {
  const plan = { rows: 1000, own: new Map<number, number>() };
  for (const word of ["", "a", "été", "weather", "x".repeat(40)])
    assert.deepEqual(
      [...rowsOfWord(plan, word).pieces],
      piecesOf(word).map((piece) => hashOfPiece(piece) % plan.rows),
      word,
    );
});
