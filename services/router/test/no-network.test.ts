import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { test } from "node:test";
import { createFixture } from "./support/create-fixture.ts";

test("a decision opens no socket", async (context) => {
  const connect = context.mock.method(Socket.prototype, "connect", () => {
    throw new Error("a socket was opened");
  });
  const fetched = context.mock.method(globalThis, "fetch", () => {
    throw new Error("something was fetched");
  });
  await using fixture = await createFixture();
  const body = { state: "will it rain tomorrow", explain: true };
  for (const path of ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess"])
    assert.equal((await fixture.ask(path, { body })).statusCode, 200);
  const questions = { q: { type: "choice", criteria: { a: "rain", b: null } } };
  assert.equal((await fixture.ask("/v1/systemone", { body: { state: "rain", questions } })).statusCode, 200);
  assert.equal((await fixture.ask("/health")).statusCode, 200);
  assert.equal(connect.mock.callCount() + fetched.mock.callCount(), 0);
});

test("a default installation has no runtime for third-party models", () => {
  const lock: { packages: Record<string, unknown> } = JSON.parse(
    readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8"),
  );
  const names = Object.keys(lock.packages);
  assert.ok(names.includes("node_modules/@triptych/router"));
  assert.deepEqual(
    names.filter((name) => /onnx|tensorflow|transformers/.test(name)),
    [],
  );
});
