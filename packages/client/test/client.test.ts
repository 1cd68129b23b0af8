import assert from "node:assert/strict";
import { test } from "node:test";
import { getItem, getItems, getRunDiff } from "@triptych/contracts";
import { createClient, ProblemError } from "../src/index.ts";

/** A transport with scripted responses that records requests. */
function scripted(answers: readonly (Response | Error)[]) {
  const requests: { readonly url: string; readonly init: RequestInit }[] = [];
  const waited: number[] = [];
  const transport: typeof fetch = (url, init) => {
    requests.push({ url: url instanceof Request ? url.url : url.toString(), init: init ?? {} });
    const answer = answers[requests.length - 1];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const client = createClient({
    url: "http://directory.test/",
    headers: { "X-API-Key": "k" },
    fetch: transport,
    wait: async (ms) => void waited.push(ms),
  });
  return { client, requests, waited };
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ status, code, detail: "no", errors: [{ path: "?q", message: "m", reason: "r" }] }), {
    status,
    headers,
  });

test("places parameters according to the contract: path, comma lists, repetitions", async () => {
  const { client, requests } = scripted([Response.json({}), Response.json({})]);
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

test("returns a response of another media type as text, and requests that type", async () => {
  const diff = "--- a/sum.js\n+++ b/sum.js\n";
  const { client, requests } = scripted([new Response(diff, { headers: { "Content-Type": "text/x-diff" } })]);
  const { body } = await client.call(getRunDiff, { params: { id: "run_1" } });
  assert.equal(body, diff);
  assert.equal(new Headers(requests[0].init.headers).get("accept"), "text/x-diff");
});

test("throws a problem with its code and issues, without a retry", async () => {
  const { client, requests } = scripted([problem(400, "validation_failed")]);
  await assert.rejects(client.call(getItems, {}), (error: unknown) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code, error.errors.length], [400, "validation_failed", 1]);
    return true;
  });
  assert.equal(requests.length, 1);
});

test("retries 429 after the delay of the server", async () => {
  const { client, requests, waited } = scripted([
    problem(429, "rate_limited", { "Retry-After": "3" }),
    Response.json({ total: 1 }),
  ]);
  const { body } = await client.call(getItems, {});
  assert.equal(body.total, 1);
  assert.deepEqual([requests.length, waited], [2, [3000]]);
});

test("throws immediately if the delay exceeds the limit of the caller", async () => {
  const { client, requests } = scripted([problem(429, "quota_exceeded", { "Retry-After": "40000" })]);
  await assert.rejects(client.call(getItems, {}), { code: "quota_exceeded" });
  assert.equal(requests.length, 1);
});

test("retries a broken connection a limited number of times", async () => {
  const broken = () => new TypeError("fetch failed");
  const { client, requests, waited } = scripted([broken(), broken(), broken(), Response.json({})]);
  await assert.rejects(client.call(getItems, {}), /fetch failed/);
  assert.deepEqual([requests.length, waited], [3, [200, 400]]);
});

test("reports the status of a response that is not a problem document", async () => {
  const { client } = scripted([new Response("<html>", { status: 404 })]);
  await assert.rejects(client.call(getItems, {}), { status: 404, code: "unknown" });
});
