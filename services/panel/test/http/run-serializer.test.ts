import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRecord } from "../../src/domain/records.ts";
import { runsJson } from "../../src/http/run-serializer.ts";

test("a page that the store answers again is not written again, and pages that are kept have an end", () => {
  const page = { below: null, limit: 51 };
  const first: readonly RunRecord[] = [];
  const written = runsJson(first, null, page);
  assert.equal(written.toString(), '{"items":[],"next_cursor":null}');
  assert.equal(runsJson(first, null, page), written);
  for (let others = 0; others < 64; others++) runsJson([], null, page);
  assert.notEqual(runsJson(first, null, page), written);
});
