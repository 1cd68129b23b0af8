import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFixture, SERVICE_TOKEN, type Fixture } from "../support/create-fixture.ts";

const body = { state: "will it rain" };
const TOKEN = "a-token-of-the-operator";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const PATHS = ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess", "/v1/systemone", "/v1/decisions"];

const statusOf = async (fixture: Fixture, path: string, headers: Readonly<Record<string, string>>, sent?: object) =>
  (await fixture.ask(path, { headers, ...(sent && { body: sent }) })).statusCode;

describe("a router without a token", () => {
  test("accepts every caller, with any wallet or bearer token", async () => {
    await using fixture = await createFixture();
    const headers = { "x-rail-wallet": "rail_test_whatever", ...bearer("sk-anything") };
    assert.equal(await statusOf(fixture, "/v1/route", headers, body), 200);
    assert.equal(await statusOf(fixture, "/v1/models", headers), 200);
  });

  test("rejects an unknown host with 421 in both error formats, on every path except the probes", async () => {
    await using fixture = await createFixture({ allowedHosts: ["router.internal"] });
    const host = "evil.example:7004";
    for (const path of [...PATHS, "/v1/heads", "/health", "/playground", "/metrics", "/nowhere"])
      assert.equal(await statusOf(fixture, path, { host }), 421, path);
    const { code, detail, error } = (await fixture.ask("/v1/route", { body, headers: { host } })).json();
    assert.deepEqual([code, error.type], ["misdirected_request", "invalid_request_error"]);
    assert.match(detail, /ROUTER_ALLOWED_HOSTS/);
    for (const served of ["router.internal:80", "router.test", "[::1]:7004"])
      assert.equal(await statusOf(fixture, "/v1/route", { host: served }, body), 200, served);
    assert.equal(await statusOf(fixture, "/livez", { host }), 200);
  });

  test("serves a gateway under any host with the service token", async () => {
    await using fixture = await createFixture();
    assert.equal(await statusOf(fixture, "/v1/route", { host: "router", ...bearer(SERVICE_TOKEN) }, body), 200);
    assert.equal(await statusOf(fixture, "/health", { host: "router", ...bearer(SERVICE_TOKEN) }), 200);
    assert.equal(await statusOf(fixture, "/v1/route", { host: "router", ...bearer("rail_svc_wrong") }, body), 421);
  });
});

test("the OpenAPI document marks the token as optional", async () => {
  await using fixture = await createFixture();
  const { paths } = (await fixture.ask("/openapi.json")).json();
  for (const path of PATHS) assert.deepEqual(paths[path].post.security, [{ caller_bearer: [] }, {}], path);
});

describe("a router with a token", () => {
  test("requires it on every path of /v1 before reading the body, and nowhere else", async () => {
    await using fixture = await createFixture({ routerToken: TOKEN });
    for (const path of PATHS) {
      const answer = await fixture.ask(path, { body: "{broken" });
      assert.deepEqual([answer.statusCode, answer.json().error.code], [401, "token_invalid"], path);
      assert.equal(answer.headers["www-authenticate"], 'Bearer realm="router"');
    }
    for (const path of ["/v1/models", "/v1/experts"]) assert.equal(await statusOf(fixture, path, {}), 401);
    for (const path of ["/health", "/pricing", "/livez", "/readyz", "/metrics", "/openapi.json", "/llms.txt", "/docs"])
      assert.equal(await statusOf(fixture, path, {}), 200, path);
  });

  test("accepts any host", async () => {
    await using fixture = await createFixture({ routerToken: TOKEN });
    assert.equal(await statusOf(fixture, "/v1/route", { host: "router.example", ...bearer(TOKEN) }, body), 200);
  });

  test("accepts it and the service token of a gateway, and no other token", async () => {
    await using fixture = await createFixture({ routerToken: TOKEN });
    assert.equal(await statusOf(fixture, "/v1/route", bearer(TOKEN), body), 200);
    assert.equal(await statusOf(fixture, "/v1/route", bearer(SERVICE_TOKEN), body), 200);
    for (const token of [`${TOKEN}x`, TOKEN.slice(1), "x"])
      assert.equal(await statusOf(fixture, "/v1/route", bearer(token), body), 401);
    const wrong = await fixture.ask("/v1/route", { body, headers: bearer("x") });
    assert.equal(wrong.headers["www-authenticate"], 'Bearer realm="router", error="invalid_token"');
    assert.equal(await statusOf(fixture, "/v1/route", { "x-rail-wallet": TOKEN }, body), 401);
  });

  test("an invalid owner is rejected from a gateway and ignored from other callers", async () => {
    await using fixture = await createFixture();
    const named = { "x-router-owner": "no owner!" };
    assert.equal(await statusOf(fixture, "/v1/route", { ...named, ...bearer(SERVICE_TOKEN) }, body), 400);
    assert.equal(await statusOf(fixture, "/v1/route", named, body), 200);
  });
});

describe("a rate limit", () => {
  test("accepts the configured number of decisions in any minute, and says when the next one is accepted", async () => {
    let now = 1_000_000;
    await using fixture = await createFixture({ rate: 3, now: () => now });
    for (let count = 0; count < 3; count++) {
      const answer = await fixture.ask("/v1/route", { body });
      assert.equal(answer.statusCode, 200);
      assert.match(String(answer.headers["ratelimit-policy"]), /q=3;w=60/);
      now += 1000;
    }
    const refused = await fixture.ask("/v1/noul", { body });
    assert.deepEqual([refused.statusCode, refused.json().error.type], [429, "rate_limit_error"]);
    assert.equal(refused.headers["retry-after"], "57");
    assert.equal(await statusOf(fixture, "/v1/models", {}), 200);
    now += 57_000;
    assert.equal(await statusOf(fixture, "/v1/route", {}, body), 200);
    assert.deepEqual((await fixture.ask("/pricing")).json().limits.rate, { decisions_per_minute: 3, in_flight: null });
  });
});
