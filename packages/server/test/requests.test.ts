import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createFixture } from "./support.ts";

const key = { "x-api-key": "k" };

test("rejects an unknown path with 404 and a link to the list of paths", async () => {
  await using fixture = await createFixture();
  const answer = await fixture.server.fastify.inject("/nowhere");
  assert.equal(answer.statusCode, 404);
  assert.equal(answer.headers["content-type"], "application/problem+json");
  const body = answer.json();
  assert.equal(body.code, "not_found");
  assert.equal(body.instance, "/nowhere");
  assert.equal(body.type, `${fixture.server.url()}/problems/not_found`);
  assert.equal(body.request_id, answer.headers["x-request-id"]);
});

test("rejects a value outside the list of a path parameter with 404, before authentication", async () => {
  await using fixture = await createFixture();
  assert.equal((await fixture.server.fastify.inject("/v1/huge/x")).statusCode, 404);
  assert.equal((await fixture.server.fastify.inject("/v1/big/x")).statusCode, 401);
});

test("rejects another method on a known path with 405 and Allow", async () => {
  await using fixture = await createFixture();
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] as const) {
    const answer = await fixture.server.fastify.inject({ method, url: "/v1/big/x" });
    assert.equal(answer.statusCode, 405, method);
    assert.equal(answer.headers["allow"], "GET, HEAD");
  }
  const answer = await fixture.server.fastify.inject("/v1/things");
  assert.equal(answer.statusCode, 405);
  assert.equal(answer.headers["allow"], "POST");
});

test("reports an unknown path or a wrong method before any issue of the body", async () => {
  await using fixture = await createFixture();
  const bodies = [
    { payload: "{", headers: { "content-type": "application/json" } },
    { payload: "x".repeat(300 * 1024), headers: { "content-type": "application/json" } },
    { payload: "<a/>", headers: { "content-type": "application/xml" } },
  ];
  for (const body of bodies)
    for (const [url, status] of [
      ["/nowhere", 404],
      ["/v1/big/x", 405],
    ] as const)
      assert.equal((await fixture.server.fastify.inject({ method: "POST", url, ...body })).statusCode, status);
});

test("documents reject other methods too", async () => {
  await using fixture = await createFixture();
  for (const url of ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/llms.txt", "/problems/internal"]) {
    assert.equal((await fixture.server.fastify.inject(url)).statusCode, 200, url);
    assert.equal((await fixture.server.fastify.inject({ method: "DELETE", url })).statusCode, 405, url);
    assert.equal((await fixture.server.fastify.inject({ method: "HEAD", url })).statusCode, 200, url);
  }
});

test("OPTIONS returns 204 with Allow, and the CORS headers if any origin may read", async () => {
  await using fixture = await createFixture({ cors: true });
  const answer = await fixture.server.fastify.inject({ method: "OPTIONS", url: "/v1/big/x" });
  assert.equal(answer.statusCode, 204);
  assert.equal(answer.headers["allow"], "GET, HEAD, OPTIONS");
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.equal((await fixture.server.fastify.inject({ method: "OPTIONS", url: "/nowhere" })).statusCode, 404);
});

test("authenticates before validating the input", async () => {
  await using fixture = await createFixture();
  const answer = await fixture.server.fastify.inject("/v1/big/x?count=many");
  assert.equal(answer.statusCode, 401);
  assert.equal(answer.headers["www-authenticate"], 'Bearer realm="thing"');
});

test("reports all issues of a query with their locations", async () => {
  await using fixture = await createFixture();
  const url = "/v1/big/x?count=11&color=red,purple&color=gren&exact=maybe&note=toolong&note=x&cuont=1&page=-1&group=";
  const answer = await fixture.server.fastify.inject({ url, headers: key });
  assert.equal(answer.statusCode, 400);
  const reasons = Object.fromEntries(
    answer.json().errors.map((issue: { path: string; reason: string }) => [issue.path, issue.reason]),
  );
  assert.deepEqual(reasons, {
    "?count": "out_of_range",
    "?color": "not_allowed",
    "?exact": "wrong_type",
    "?note": "repeated",
    "?cuont": "unknown_parameter",
    "?page": "out_of_range",
    "?group": "empty",
  });
  const unknown = answer.json().errors.find((issue: { path: string }) => issue.path === "?cuont");
  assert.deepEqual(unknown.suggestions, ["count"]);
});

test("splits lists at commas and repetitions, and keeps repetitions apart if the contract says so", async () => {
  await using fixture = await createFixture();
  const url = "/v1/small/x?color=red,blue&color=green&group=a,b&group=c&count=3&exact=true&page=all";
  const answer = await fixture.server.fastify.inject({ url, headers: key });
  assert.deepEqual(answer.json().query, {
    color: ["red", "blue", "green"],
    group: [["a", "b"], ["c"]],
    count: 3,
    exact: true,
    page: "all",
  });
});

for (const text of ["1e1", "0x5", "+5", " 5", "5.5", "٥", ""]) {
  test(`"${text}" is not a whole number`, async () => {
    await using fixture = await createFixture();
    const answer = await fixture.server.fastify.inject({
      url: `/v1/big/x?count=${encodeURIComponent(text)}`,
      headers: key,
    });
    assert.equal(answer.statusCode, 400);
  });
}

test("a body is JSON without coercion, and every issue has a JSON pointer", async () => {
  await using fixture = await createFixture();
  const post = (payload: string, type = "application/json") =>
    fixture.server.fastify.inject({ method: "POST", url: "/v1/things", payload, headers: { "content-type": type } });
  assert.equal((await post('{"name":"a","size":1}')).statusCode, 200);
  assert.equal((await post('{"name":')).json().code, "invalid_json");
  assert.equal((await post("")).json().code, "invalid_json");
  assert.equal((await post("name=a", "application/x-www-form-urlencoded")).statusCode, 415);
  assert.equal((await post("[".repeat(40) + "]".repeat(40))).json().code, "invalid_json");
  const large = await post(JSON.stringify({ name: "x".repeat(300_000), size: 1 }));
  assert.deepEqual(
    [large.statusCode, large.json().detail],
    [413, "The body exceeds the limit of 262144 bytes for this path."],
  );
  const faults = (await post('{"name":"","size":"1","sise":2}')).json().errors;
  assert.deepEqual(faults.map((issue: { path: string }) => issue.path).sort(), ["/name", "/sise", "/size"]);
});

test("a body with only optional members is optional itself", async () => {
  await using fixture = await createFixture();
  const post = (url: string) => fixture.server.fastify.inject({ method: "POST", url });
  assert.deepEqual((await post("/v1/turn")).json(), { by: 90 });
  assert.equal((await post("/v1/things")).json().code, "validation_failed");
  const { paths } = (await fixture.server.fastify.inject("/openapi.json")).json();
  const bodyOf = (path: string) => paths[path].post.requestBody.required;
  assert.deepEqual([bodyOf("/v1/turn"), bodyOf("/v1/things")], [false, true]);
});

test("reports a missing required query parameter with the other issues", async () => {
  await using fixture = await createFixture();
  const missing = await fixture.server.fastify.inject("/v1/found?nota=1");
  assert.equal(missing.statusCode, 400);
  assert.deepEqual(
    missing.json().errors.map((issue: { path: string; reason: string }) => [issue.path, issue.reason]),
    [
      ["?owner", "missing"],
      ["?nota", "unknown_parameter"],
    ],
  );
  assert.equal((await fixture.server.fastify.inject("/v1/found?owner=me")).statusCode, 200);
});

test("accepts only timestamps that can be compared", async () => {
  await using fixture = await createFixture();
  const at = async (since: string) => {
    const url = `/v1/found?owner=me&since=${encodeURIComponent(since)}`;
    return (await fixture.server.fastify.inject(url)).statusCode;
  };
  for (const time of ["2026-11-23T10:00:00Z", "2026-11-23t10:00:00.123456789+01:00", "0000-01-01T00:00:00Z"])
    assert.equal(await at(time), 200, time);
  for (const time of ["2026-12-31T23:59:60Z", "2026-11-23T10:00:00+01", "2026-02-30T00:00:00Z", "2026-11-23"])
    assert.equal(await at(time), 400, time);
});

test("rejects text that stores cannot save: U+0000 and lone surrogates", async () => {
  await using fixture = await createFixture();
  const post = (payload: string) =>
    fixture.server.fastify.inject({
      method: "POST",
      url: "/v1/things",
      headers: { "content-type": "application/json" },
      payload,
    });
  for (const text of ["\\u0000", "\\ud83d", "a\\udc00b"]) {
    const answer = await post(`{"name":"${text}","size":1}`);
    assert.deepEqual([answer.statusCode, answer.json().code], [400, "invalid_json"], text);
  }
  assert.equal((await post('{"name":"\\ud83d\\ude00","size":1}')).statusCode, 200);
  assert.equal((await fixture.server.fastify.inject("/v1/found?owner=%00")).json().errors[0].path, "?owner");
  const path = await fixture.server.fastify.inject({ url: "/v1/big/%00", headers: { "x-api-key": "k" } });
  assert.equal(path.statusCode, 404);
});

test("rejects a body that is not UTF-8 or is compressed, with the reason", async () => {
  await using fixture = await createFixture();
  const post = (payload: Buffer, more: Record<string, string> = {}) =>
    fixture.server.fastify.inject({
      method: "POST",
      url: "/v1/things",
      headers: { "content-type": "application/json", ...more },
      payload,
    });
  const body = '{"name":"caf\u00e9","size":1}';
  const latin = await post(Buffer.from(body, "latin1"));
  assert.deepEqual([latin.statusCode, latin.json().code], [400, "invalid_json"]);
  assert.match(latin.json().detail, /UTF-8/);
  const packed = await post(gzipSync(body), { "content-encoding": "gzip" });
  assert.deepEqual([packed.statusCode, packed.headers["accept-encoding"]], [415, "identity"]);
  const plain = await post(Buffer.from(body), { "content-encoding": "identity" });
  assert.deepEqual([plain.statusCode, plain.json().name], [200, "caf\u00e9"]);
});

test("passes a valid idempotency key to the handler, and reports an invalid one with the other issues", async () => {
  await using fixture = await createFixture();
  const post = (headers: Record<string, string>, payload: object = { text: "x" }) =>
    fixture.server.fastify.inject({ method: "POST", url: "/v1/notes", headers, payload });
  assert.deepEqual((await post({})).json(), { key: null });
  assert.deepEqual((await post({ "idempotency-key": "k-17" })).json(), { key: "k-17" });
  for (const wrong of ["", "with blank", "x".repeat(256), "é"]) {
    const answer = await post({ "idempotency-key": wrong }, { text: 1 });
    assert.equal(answer.statusCode, 400, wrong);
    const paths = answer.json().errors.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths.toSorted(), ["/text", "header:Idempotency-Key"]);
  }
});

test("an endpoint with a raw body receives the bytes unchanged, whatever their media type", async () => {
  await using fixture = await createFixture();
  for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
    const payload = Buffer.from('{ "a":1 , ');
    const answer = await fixture.server.fastify.inject({
      method: "POST",
      url: "/v1/events",
      headers: { "content-type": type },
      payload,
    });
    assert.deepEqual(answer.json(), { hex: payload.toString("hex") });
  }
  assert.equal((await fixture.server.fastify.inject("/v1/events")).statusCode, 405);
});

test("an endpoint may accept more than the default 256 KiB, up to its own limit", async () => {
  await using fixture = await createFixture();
  const post = async (url: string, length: number) =>
    (await fixture.server.fastify.inject({ method: "POST", url, payload: { text: "x".repeat(length) } })).statusCode;
  assert.equal(await post("/v1/notes", 280_000), 201);
  assert.equal(await post("/v1/notes", 300_000), 413);
  assert.equal(await post("/v1/things", 280_000), 413);
});

test("rejects a URL over 8 KiB with 414", async () => {
  await using fixture = await createFixture();
  assert.equal((await fixture.server.fastify.inject(`/v1/big/${"x".repeat(9000)}`)).statusCode, 414);
  assert.equal((await fixture.server.fastify.inject(`/nowhere?${"x".repeat(9000)}`)).statusCode, 414);
});

test("returns internal errors as `internal` and logs them once with their cause, without secrets", async () => {
  await using fixture = await createFixture();
  const secret = "dir_live_00000000000000000000000000_0000000";
  const answer = await fixture.server.fastify.inject({ url: "/v1/big/broken", headers: { "x-api-key": secret } });
  assert.equal(answer.statusCode, 500);
  assert.deepEqual(Object.keys(answer.json()).sort(), [
    "code",
    "detail",
    "instance",
    "request_id",
    "status",
    "title",
    "type",
  ]);
  const logged = fixture.lines.filter((line) => line.includes('"level":"error"'));
  assert.equal(logged.length, 1);
  assert.match(logged[0], /the disk of dir_live_\[redacted\] is gone/);
  assert.ok(!fixture.lines.join("").includes(secret));
  assert.ok(!answer.body.includes("disk"));
});

test("a log line contains ID, route, status and duration, and neither path nor query", async () => {
  await using fixture = await createFixture();
  await fixture.server.fastify.inject({
    url: "/v1/big/private-name?note=abc&key=k",
    headers: { "x-request-id": "mine-1" },
  });
  const line = JSON.parse(fixture.lines.findLast((entry) => entry.includes("mine-1")) ?? "{}");
  assert.equal(line.route, "/v1/:kind/:name");
  assert.equal(line.status, 200);
  assert.equal(typeof line.duration_ms, "number");
  assert.ok(!fixture.lines.join("").includes("private-name"));
});

test("keeps a valid request ID and replaces any other", async () => {
  await using fixture = await createFixture();
  const ask = async (id: string) =>
    (await fixture.server.fastify.inject({ url: "/livez", headers: { "x-request-id": id } })).headers["x-request-id"];
  assert.equal(await ask("abc-1.2:3"), "abc-1.2:3");
  for (const bad of ["with space", "x".repeat(65), "dir_live_abcdefghij_1234567", "ü"])
    assert.match(String(await ask(bad)), /^req_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("a service that is not ready returns the reason and Retry-After", async () => {
  await using fixture = await createFixture({ ready: "The snapshot is still being built." });
  const answer = await fixture.server.fastify.inject("/readyz");
  assert.equal(answer.statusCode, 503);
  assert.equal(answer.json().code, "not_ready");
  assert.equal(answer.headers["retry-after"], "1");
  assert.equal((await fixture.server.fastify.inject("/livez")).statusCode, 200);
});

test("metrics are labeled by route and status, never by path", async () => {
  await using fixture = await createFixture();
  await fixture.server.fastify.inject({ url: "/v1/big/hidden", headers: key });
  const { body } = await fixture.server.fastify.inject("/metrics");
  assert.match(body, /http_requests_total\{route="\/v1\/:kind\/:name",method="GET",status="200",service="thing"\} 1/);
  assert.ok(!body.includes("hidden"));
});

test("stop can be called twice concurrently", async () => {
  const fixture = await createFixture();
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  await Promise.all([fixture.server.stop(), fixture.server.stop()]);
  await assert.rejects(fetch(`${fixture.server.url()}/livez`));
});
