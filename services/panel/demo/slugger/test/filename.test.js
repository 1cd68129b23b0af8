import assert from "node:assert/strict";
import { test } from "node:test";
import { filename } from "slugger";

test("a title becomes the name of a file", () => {
  assert.equal(filename('Été: "plein"/vide.txt'), "Ete plein vide.txt");
});
