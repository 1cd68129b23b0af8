import assert from "node:assert/strict";
import { test } from "node:test";
import { filename, slug } from "slugger";

test("calls no deprecated function", async () => {
  const warnings = [];
  process.on("warning", ({ code, message }) => warnings.push(`${code}: ${message}`));
  slug("é");
  filename("é");
  await new Promise((later) => setImmediate(later));
  assert.deepEqual(warnings, []);
});
