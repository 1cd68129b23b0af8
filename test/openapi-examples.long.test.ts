import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { captureExamples } from "../e2e/api/capture.ts";

test("capturing the examples of the OpenAPI documents again gives the committed files", async () => {
  for (const [service, text] of await captureExamples()) {
    const committed = await readFile(new URL(`../packages/server/examples/${service}.json`, import.meta.url), "utf8");
    assert.equal(text, committed, `${service}: run \`npm run openapi:examples\``);
  }
});
