import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalLog } from "../src/pretty-log.ts";

const REQUEST = { msg: "request", request_id: "req_1", method: "GET", status: 200, duration_ms: 3.24159 };

function render(lines: readonly object[]): readonly string[] {
  let written = "";
  const log = terminalLog({ write: (text) => void (written += text) }, false);
  for (const line of lines)
    log.write(`${JSON.stringify({ level: "info", time: "2026-11-22T10:00:00.000Z", service: "rail", ...line })}\n`);
  return written.split("\n").map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, ""));
}

test("formats a request as one line on a terminal, service first", () => {
  assert.deepEqual(render([{ ...REQUEST, route: "/v1/wallets" }]), ["INFO: rail: GET /v1/wallets 200 3.2 ms", ""]);
});

test("formats any other entry as one line with its fields", () => {
  assert.deepEqual(render([{ level: "warn", msg: "a mail waits", subject: "Hello", request_id: "req_1" }]), [
    'WARN: rail: a mail waits {"subject":"Hello"}',
    "",
  ]);
});
