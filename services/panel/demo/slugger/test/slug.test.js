import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "slugger";

test("turns a title into a slug", () => {
  assert.equal(slug("Crème brûlée, à la maison"), "creme-brulee-a-la-maison");
  assert.equal(slug("  Straße & Łódź  "), "strasse-and-lodz");
});

test("truncates a slug to the maximum length", () => {
  assert.equal(slug("one two three", { length: 8 }), "one-two");
});
