import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

test("accepts the key in each of the three carriers, and the same key in several", async () => {
  await using fixture = await createFixture();
  const key = fixture.discovery;
  const asks = [
    fixture.ask("/api/meta", { headers: { authorization: `Bearer ${key}` } }),
    fixture.ask("/api/meta", { headers: { authorization: `bearer ${key}` } }),
    fixture.ask("/api/meta", { headers: { "x-api-key": key } }),
    fixture.ask(`/api/meta?key=${key}`),
    fixture.ask(`/api/meta?key=${key}&key=${key}`),
    fixture.ask(`/api/meta?key=${key}`, { headers: { "x-api-key": key, authorization: `Bearer ${key}` } }),
  ];
  for (const answer of await Promise.all(asks)) assert.equal(answer.statusCode, 200, answer.body);
});

test("rejects two different keys with 400 ambiguous_key", async () => {
  await using fixture = await createFixture();
  const answer = await fixture.ask(`/api/meta?key=${fixture.pro}`, { key: fixture.discovery });
  assert.equal(answer.statusCode, 400);
  assert.equal(answer.json().code, "ambiguous_key");
});

test("reads a repeated header as two carriers", async () => {
  await using fixture = await createFixture();
  // Node joins repeated headers with a comma.
  const twice = (a: string, b: string) => fixture.ask("/api/meta", { headers: { "x-api-key": `${a}, ${b}` } });
  assert.equal((await twice(fixture.pro, fixture.pro)).statusCode, 200);
  assert.equal((await twice(fixture.pro, fixture.discovery)).json().code, "ambiguous_key");
});

test("accepts two equal Authorization headers and rejects two different ones", async () => {
  await using fixture = await createFixture();
  const url = await fixture.app.listen({ host: "127.0.0.1", port: 0 }).then(() => fixture.app.fastify.listeningOrigin);
  const statusOf = async (...keys: string[]) => {
    const headers = ["Host", "x", ...keys.flatMap((key) => ["Authorization", `Bearer ${key}`]), "Connection", "close"];
    const [answer] = await once(get(`${url}/api/meta`, { headers }), "response");
    answer.resume();
    return answer.statusCode;
  };
  assert.equal(await statusOf(fixture.pro, fixture.pro), 200);
  assert.equal(await statusOf(fixture.pro, fixture.discovery), 400);
});

test("rejects a missing key with 401 key_required and a challenge", async () => {
  await using fixture = await createFixture();
  const none: Record<string, string>[] = [{}, { authorization: "Basic abc" }, { "x-api-key": "" }];
  for (const headers of none) {
    const answer = await fixture.ask("/api/items", { headers });
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.json().code, "key_required");
    assert.equal(answer.headers["www-authenticate"], 'Bearer realm="directory"');
  }
});

test("returns the same body for a mistyped and an unknown key", async () => {
  await using fixture = await createFixture();
  const mistyped = `${fixture.pro.slice(0, 20)}${fixture.pro[20] === "a" ? "b" : "a"}${fixture.pro.slice(21)}`;
  await using other = await createFixture();
  const bodies = await Promise.all(
    [mistyped, other.pro, "dir_live_short", "x", "dir_live_".concat("z".repeat(500))].map(async (key) => {
      const answer = await fixture.ask("/api/items", { key });
      assert.equal(answer.statusCode, 401);
      assert.match(String(answer.headers["www-authenticate"]), /error="invalid_token"/);
      const { request_id, ...rest } = answer.json();
      assert.ok(request_id);
      return rest;
    }),
  );
  for (const body of bodies) assert.deepEqual(body, bodies[0]);
});

test("reports revoked and expired keys", async () => {
  await using fixture = await createFixture();
  const revoked = await fixture.createKey();
  const expiring = await fixture.createKey({ expiresAt: fixture.now() + 1000 });
  assert.equal((await fixture.ask("/api/meta", { key: revoked.secret })).statusCode, 200);
  await fixture.revokeKey(revoked.key.id);
  fixture.pass(1001);
  assert.equal((await fixture.ask("/api/meta", { key: revoked.secret })).json().code, "key_revoked");
  assert.equal((await fixture.ask("/api/meta", { key: expiring.secret })).json().code, "key_expired");
});

test("marks responses to a key in the URL as private and without referrer", async () => {
  await using fixture = await createFixture();
  for (const url of [
    `/api/items?key=${fixture.pro}`,
    `/api/item/place/rennes?key=${fixture.pro}`,
    `/api/meta?key=${fixture.pro}`,
    `/api/usage?key=${fixture.pro}`,
    `/api/items?key=${fixture.pro}&limit=1000`,
    `/api/items?key=${fixture.pro}x`,
    `/api/item/place/nowhere?key=${fixture.pro}`,
    `/api?key=${fixture.pro}`,
    `/map?key=${fixture.pro}`,
    `/nowhere?key=${fixture.pro}`,
  ]) {
    const answer = await fixture.ask(url);
    assert.equal(answer.headers["cache-control"], "private, no-store", url);
    assert.equal(answer.headers["referrer-policy"], "no-referrer", url);
  }
  const plain = await fixture.ask("/api/items", { key: fixture.pro });
  assert.equal(plain.headers["cache-control"], "private, max-age=60");
});

test("ignores any key on endpoints that need none", async () => {
  await using fixture = await createFixture();
  for (const url of [
    "/api",
    "/api/openapi.json",
    "/openapi.json",
    "/livez",
    "/readyz",
    "/metrics",
    "/llms.txt",
    "/problems/internal",
  ]) {
    assert.equal((await fixture.ask(url, { key: "nonsense" })).statusCode, 200, url);
  }
  for (const query of [
    `key=${fixture.pro}`,
    "key=",
    `key=${"x".repeat(300)}`,
    `key=${fixture.pro}&key=${fixture.discovery}`,
  ])
    assert.equal((await fixture.ask(`/api?${query}`)).statusCode, 200, query);
});

test("leaks no key into logs, responses, links, metrics or stored rows", async () => {
  await using fixture = await createFixture();
  const key = fixture.pro;
  const urls = [
    `/api/items?key=${key}&limit=3`,
    `/api/items?key=${key}&near=1`,
    `/api/items?%6bey=${key}&limit=3`,
    `/api/items?key=${key}&key=${key}`,
    `/api/item/place/${key}?key=${key}`,
    `/api/item/place/rennes?key=${key}&format=geojson`,
    `/api/items?key=${key}&format=geojson&limit=2`,
    `/api/items?key=${key}&format=csv&limit=all`,
    `/api/meta?key=${key}&q=${key}`,
    `/nowhere/${key}?key=${key}`,
    `/api/items?kee=${key}`,
    `/api/items?key=${key}x`,
  ];
  const answers = await Promise.all(
    urls.map((url) => fixture.ask(url, { headers: { "x-request-id": key, referer: `http://x/?key=${key}` } })),
  );
  const metrics = await fixture.ask("/metrics");
  await fixture.meter.flush();
  const rows = await fixture.database.db.selectFrom("usage_row").selectAll().execute();
  assert.ok(rows.length >= 8);
  const secret = key.slice(9, 35);
  for (const text of [
    ...fixture.lines,
    ...answers.flatMap((answer) => [answer.body, JSON.stringify(answer.headers)]),
    metrics.body,
    JSON.stringify(rows),
  ]) {
    assert.ok(!text.includes(secret), text.replaceAll(secret, "<KEY>"));
  }
});
