import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "slugger";

test("a title becomes an address", () => {
  assert.equal(slug("Crème brûlée, à la maison"), "creme-brulee-a-la-maison");
  assert.equal(slug("  Straße & Łódź  "), "strasse-and-lodz");
});

test("an address is no longer than it may be", () => {
  assert.equal(slug("one two three", { length: 8 }), "one-two");
});
