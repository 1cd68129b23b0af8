import assert from "node:assert/strict";
import { test } from "node:test";
import { createRepo, getItem, getItems, getRunDiff } from "@triptych/contracts";
import { createClient, isProblemOf, ProblemError } from "../src/index.ts";
import { problem, scripted } from "./support/scripted.ts";

const clientOf = (answers: readonly (Response | Error)[]) => {
  const { transport, waited, requests } = scripted(answers);
  const headers = { "X-API-Key": "k" };
  return { client: createClient({ url: "http://directory.test/", headers, ...transport }), waited, requests };
};

test("places parameters according to the contract: path, comma lists, repetitions", async () => {
  const { client, requests } = clientOf([Response.json({}), Response.json({})]);
  await client.call(getItem, { params: { type: "place", slug: "a b/c" }, query: { fields: ["title", "summary"] } });
  await client.call(getItems, { query: { type: ["place", "actor"], tag: ["a", "b"], limit: 5, q: "l'été" } });
  assert.deepEqual(
    requests.map(({ url }) => url),
    [
      "http://directory.test/api/item/place/a%20b%2Fc?fields=title%2Csummary",
      "http://directory.test/api/items?type=place%2Cactor&tag=a%2Cb&limit=5&q=l%27%C3%A9t%C3%A9",
    ],
  );
  assert.equal(new Headers(requests[0].init.headers).get("x-api-key"), "k");
});

test("sends the body of an endpoint whose schemas are not in the bundle", async () => {
  const { client, requests } = clientOf([Response.json({})]);
  const { method, path } = createRepo;
  const withoutSchemas = { method, path, answers: {} } as unknown as typeof createRepo;
  await client.call(withoutSchemas, { body: { url: "https://forge.test/a.git" } });
  assert.equal(requests[0].init.body, '{"url":"https://forge.test/a.git"}');
  assert.equal(new Headers(requests[0].init.headers).get("content-type"), "application/json");
});

test("returns a response of another media type as text, and requests that type", async () => {
  const diff = "--- a/sum.js\n+++ b/sum.js\n";
  const { client, requests } = clientOf([new Response(diff, { headers: { "Content-Type": "text/x-diff" } })]);
  const { body } = await client.call(getRunDiff, { params: { id: "run_1" } });
  assert.equal(body, diff);
  assert.equal(new Headers(requests[0].init.headers).get("accept"), "text/x-diff");
});

test("throws a problem with its code and issues, without a retry", async () => {
  const { client, requests } = clientOf([problem(400, "validation_failed")]);
  await assert.rejects(client.call(getItems, {}), (error: unknown) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code, error.errors.length], [400, "validation_failed", 1]);
    return true;
  });
  assert.equal(requests.length, 1);
});

test("retries 429 after the delay that the server requests", async () => {
  const { client, requests, waited } = clientOf([
    problem(429, "rate_limited", { "Retry-After": "3" }),
    Response.json({ total: 1 }),
  ]);
  const { body } = await client.call(getItems, {});
  assert.equal(body.total, 1);
  assert.deepEqual([requests.length, waited], [2, [3200]]);
});

test("reads the HTTP date of a Retry-After with its own clock", async () => {
  const header = { "Retry-After": "Thu, 26 Nov 2026 09:00:05 GMT" };
  const { client, waited } = clientOf([problem(503, "draining", header), Response.json({})]);
  await client.call(getItems, {});
  assert.deepEqual(waited, [5200]);
});

test("sends one Idempotency-Key with all attempts of a POST that honors it", async () => {
  const { client, requests } = clientOf([problem(503, "draining"), Response.json({})]);
  await client.call(createRepo, { body: { url: "https://git.test/a.git", provider: "git" } });
  const keys = requests.map(({ init }) => new Headers(init.headers).get("idempotency-key"));
  assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/);
  assert.equal(keys[1], keys[0]);
});

test("narrows a problem to the codes of its endpoint", async () => {
  const { client } = clientOf([problem(403, "quota_exceeded")]);
  const error: unknown = await client
    .call(createRepo, { body: { url: "https://git.test/a.git", provider: "git" } })
    .catch((thrown: unknown) => thrown);
  assert.ok(isProblemOf(createRepo, error) && error.code === "quota_exceeded");
  assert.ok(!isProblemOf(getItems, new Error("no")));
});

test("aborts an attempt after its timeout, and tries again", async () => {
  let attempts = 0;
  const never: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      attempts += 1;
      const { signal } = init ?? {};
      signal?.addEventListener("abort", () => reject(signal.reason instanceof Error ? signal.reason : new Error()));
    });
  const client = createClient({ url: "http://x.test", fetch: never, timeoutMs: 1, retries: 1, wait: async () => {} });
  // The timer of an AbortSignal does not keep the process alive, so this one does.
  const alive = setInterval(() => {}, 1000);
  await assert.rejects(client.call(getItems, {}), { name: "TimeoutError" });
  clearInterval(alive);
  assert.equal(attempts, 2);
});

test("stops waiting for a retry when its signal aborts", async () => {
  const { transport } = scripted([problem(503, "draining", { "Retry-After": "5" })]);
  const stop = new AbortController();
  const { wait: _wait, ...real } = transport;
  const client = createClient({ url: "http://x.test", ...real });
  const call = client.call(getItems, { signal: stop.signal });
  setImmediate(() => stop.abort());
  await assert.rejects(call, { name: "AbortError" });
});

test("throws immediately if the delay exceeds the caller's limit", async () => {
  const { client, requests } = clientOf([problem(429, "quota_exceeded", { "Retry-After": "40000" })]);
  await assert.rejects(client.call(getItems, {}), { code: "quota_exceeded" });
  assert.equal(requests.length, 1);
});

test("retries a broken connection a limited number of times", async () => {
  const broken = () => new TypeError("fetch failed");
  const { client, requests, waited } = clientOf([broken(), broken(), broken(), Response.json({})]);
  await assert.rejects(client.call(getItems, {}), /fetch failed/);
  assert.deepEqual([requests.length, waited], [3, [200, 400]]);
});

test("reports the status of a response that is not a problem document", async () => {
  const { client } = clientOf([new Response("<html>", { status: 404 })]);
  await assert.rejects(client.call(getItems, {}), { status: 404, code: "unknown" });
});
