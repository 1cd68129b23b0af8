import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@triptych/server";
import { logCatalogue } from "../src/log-catalogue.ts";

test("a version that does not open is logged as an error with its reason", () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const report = logCatalogue(createLogger({ service: "directory", level: "info", destination }));
  report({ what: "not opened", version: "3-abc", err: new Error("disk full") });
  const [line] = lines.map((text) => JSON.parse(text));
  assert.equal(line.level, "error");
  assert.equal(line.msg, "a version could not be opened; the last one stays, retrying");
  assert.equal(line.version, "3-abc");
  assert.equal(line.err.message, "disk full");
});
