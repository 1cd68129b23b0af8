import assert from "node:assert/strict";
import { test } from "node:test";
import { filename } from "slugger";

test("turns a title into a file name", () => {
  assert.equal(filename('Été: "plein"/vide.txt'), "Ete plein vide.txt");
});
