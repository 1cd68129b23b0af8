import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openShippedArtifacts } from "@triptych/decisions";
import { ANSWERS, goldenLines, releaseOf } from "./golden.ts";

test("the release answers two hundred texts as it did when it was trained, to the last bit", () => {
  const [release, ...rows] = readFileSync(ANSWERS, "utf8").trimEnd().split("\n");
  assert.equal(release, releaseOf(), "other files were trained: node services/router/test/golden/write-answers.ts");
  const [, ...answered] = goldenLines(openShippedArtifacts());
  assert.equal(new Set(rows.map((row) => row.split("\t")[0])).size, 200);
  assert.deepEqual(answered, rows);
});
