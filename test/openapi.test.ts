import assert from "node:assert/strict";
import { test } from "node:test";
import { driftedDocuments } from "../apps/triptych/src/openapi.ts";

test("the committed OpenAPI documents match the contracts", async () => {
  assert.deepEqual(await driftedDocuments(), []);
});
