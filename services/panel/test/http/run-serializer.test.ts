import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRecord } from "../../src/domain/records.ts";
import { runsJson } from "../../src/http/run-serializer.ts";

test("serializes an unchanged page once, and bounds the cache", () => {
  const page = { below: null, limit: 51 };
  const first: readonly RunRecord[] = [];
  const written = runsJson(first, null, page);
  assert.equal(written.toString(), '{"items":[],"next_cursor":null}');
  assert.equal(runsJson(first, null, page), written);
  for (let others = 0; others < 64; others++) runsJson([], null, page);
  assert.notEqual(runsJson(first, null, page), written);
});
