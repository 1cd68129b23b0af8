import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { directoryContract } from "@triptych/contracts";
import { StoreError, classifyStorageError } from "@triptych/storage";
import { connectThread } from "../../src/workers/thread-calls.ts";
import { createFixture } from "../support/create-fixture.ts";

test("rejects the 121st request within 60 s with 429 and an accurate Retry-After", async () => {
  await using fixture = await createFixture();
  const ask = () => fixture.ask("/api/meta", { key: fixture.discovery });
  for (let count = 1; count <= 120; count++) {
    assert.equal((await ask()).statusCode, 200);
    fixture.pass(100);
  }
  const refused = await ask();
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.json().code, "rate_limited");
  assert.deepEqual(refused.json()["violated-policies"], ["minute"]);
  const wait = Number(refused.headers["retry-after"]);
  assert.equal(wait, 48);
  fixture.pass(wait * 1000 - 1000);
  assert.equal((await ask()).statusCode, 429);
  fixture.pass(1000);
  assert.equal((await ask()).statusCode, 200);
});

test("sends RateLimit headers as in the draft with every response to a valid key", async () => {
  await using fixture = await createFixture();
  const answer = await fixture.ask("/api/items?limit=20", { key: fixture.discovery });
  assert.equal(answer.headers["ratelimit-policy"], '"minute";q=120;w=60, "items-day";q=2000;w=86400');
  assert.equal(answer.headers["ratelimit"], '"minute";r=119;t=60, "items-day";r=1980;t=43200');
  assert.equal(answer.headers["x-quota-limit"], "2000");
  assert.equal(answer.headers["x-quota-remaining"], "1980");
  assert.equal(answer.headers["x-quota-reset"], "43200");
  assert.equal(answer.headers["x-quota-unit"], "items");
  for (const url of ["/api/items?limit=x", "/api/item/place/none", "/api/items?near=1,2"]) {
    assert.ok((await fixture.ask(url, { key: fixture.discovery })).headers["ratelimit"], url);
  }
});

test("sends only the minute policy for an unlimited key", async () => {
  await using fixture = await createFixture();
  const { secret } = await fixture.createKey({ plan: "pro", dailyItems: "none" });
  const { headers } = await fixture.ask("/api/items", { key: secret });
  assert.equal(headers["ratelimit-policy"], '"minute";q=120;w=60');
  assert.equal(headers["x-quota-limit"], undefined);
});

test("sends the remaining quota after the stream in its headers, as for a page", async () => {
  await using fixture = await createFixture();
  const ask = (query: string, method: "GET" | "HEAD" = "GET") =>
    fixture.ask(`/api/items?limit=all&format=csv&${query}`, { key: fixture.pro, method });
  const left = async (answer: ReturnType<typeof ask>) => (await answer).headers["x-quota-remaining"];
  assert.equal(await left(ask("type=article", "HEAD")), "50000");
  assert.equal(await left(ask("type=article")), "49982");
  assert.equal(await left(ask("type=article&offset=18")), "49982");
  assert.equal(await left(ask("colour=red")), "49982");
});

test("truncates a page at the end of the daily quota; next continues after it", async () => {
  await using fixture = await createFixture();
  const { secret: key } = await fixture.createKey({ dailyItems: 25 });
  await fixture.ask("/api/items?limit=20", { key });
  const cut = (await fixture.ask("/api/items?limit=20&offset=20", { key })).json();
  assert.deepEqual([cut.items.length, cut.limit, cut.quota_truncated, cut.total], [5, 5, true, 220]);
  assert.match(cut.links.next, /offset=25/);
  const refused = await fixture.ask("/api/items", { key });
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.json().code, "quota_exceeded");
  assert.deepEqual(refused.json()["violated-policies"], ["items-day"]);
  assert.equal(refused.headers["retry-after"], String(12 * 3600));
  fixture.pass(12 * 3_600_000);
  assert.equal((await fixture.ask("/api/items", { key })).json().items.length, 20);
});

test("rejects valid requests when the quota is used up, except free ones", async () => {
  await using fixture = await createFixture();
  const { secret: key } = await fixture.createKey({ dailyItems: 1 });
  const first = await fixture.ask("/api/item/place/rennes", { key });
  assert.equal(first.statusCode, 200);
  assert.equal((await fixture.ask("/api/item/place/rennes", { key })).statusCode, 429);
  assert.equal((await fixture.ask("/api/items?sort=title", { key })).statusCode, 429);
  assert.equal((await fixture.ask("/api/items?sort=nonsense", { key })).statusCode, 400);
  assert.equal((await fixture.ask("/api/items?near=48,2", { key })).statusCode, 403);
  for (const url of ["/api/items?limit=0&facets=type", "/api/meta", "/api/usage"])
    assert.equal((await fixture.ask(url, { key })).statusCode, 200, url);
  assert.equal((await fixture.ask("/api/items", { key, method: "HEAD" })).statusCode, 200);
  const conditional = (etag: string) =>
    fixture.ask("/api/item/place/rennes", { key, headers: { "if-none-match": etag } });
  assert.equal((await conditional(String(first.headers["etag"]))).statusCode, 304);
  assert.equal((await conditional('"other"')).statusCode, 429);
  const past = await fixture.ask("/api/items?offset=9000", { key, headers: { "if-none-match": '"x"' } });
  assert.equal(past.statusCode, 200);
});

test("HEAD, 304, limit=0, meta, usage and errors cost no items and one request each", async () => {
  await using fixture = await createFixture();
  const key = fixture.pro;
  const { headers } = await fixture.ask("/api/items?limit=7", { key });
  await fixture.ask("/api/items?limit=7", { key, method: "HEAD" });
  await fixture.ask("/api/items?limit=7", { key, headers: { "if-none-match": String(headers["etag"]) } });
  await fixture.ask("/api/items?limit=0&facets=tag", { key });
  await fixture.ask("/api/meta", { key });
  await fixture.ask("/api/items?limit=1000", { key });
  await fixture.ask("/api/item/place/none", { key });
  await fixture.ask("/api/item/place/rennes", { key });
  const usage = (await fixture.ask("/api/usage", { key })).json();
  assert.deepEqual([usage.month.requests, usage.month.items, usage.day.used], [8, 8, 8]);
});

test("usage, roll-up and rows equal the items sent, with the price of each plan", async () => {
  await using fixture = await createFixture();
  let sent = 0;
  for (const query of [
    "limit=3",
    "limit=100",
    "format=csv&limit=12",
    "format=geojson&limit=9",
    "format=ndjson&limit=all",
    "near=48,2&radius=200",
    "limit=0",
  ]) {
    const answer = await fixture.ask(`/api/items?${query}`, { key: fixture.pro });
    assert.equal(answer.statusCode, 200, query);
    sent += countItems(answer.body, query);
  }
  const usage = (await fixture.ask("/api/usage", { key: fixture.pro })).json();
  await fixture.meter.flush();
  const rows = await fixture.database.db
    .selectFrom("usage_row")
    .selectAll()
    .where("key_id", "=", usage.key.id)
    .execute();
  assert.equal(
    rows.reduce((sum, row) => sum + row.items, 0),
    sent,
  );
  assert.equal(usage.month.items, sent);
  assert.equal(usage.month.amount_micro, sent * 100);
  assert.equal(usage.month.geo_requests, 1);
  assert.equal(rows.length, usage.month.requests + 1);
  assert.deepEqual(usage.days, [{ date: "2026-11-20", ...usage.month }]);
});

function countItems(body: string, query: string): number {
  if (query.includes("csv")) return body.trim().split("\r\n").length - 1;
  if (query.includes("ndjson")) return body.trim().split("\n").length;
  const parsed = JSON.parse(body);
  return (parsed.items ?? parsed.features).length;
}

test("does not merge usage rows with the same X-Request-Id", async () => {
  await using fixture = await createFixture();
  for (let count = 0; count < 2; count++)
    await fixture.ask("/api/items?limit=5", { key: fixture.pro, headers: { "x-request-id": "same" } });
  const usage = (await fixture.ask("/api/usage", { key: fixture.pro })).json();
  assert.deepEqual([usage.month.requests, usage.month.items], [2, 10]);
});

test("fifty concurrent pages do not exceed the quota", async () => {
  await using fixture = await createFixture();
  const { secret: key } = await fixture.createKey({ dailyItems: 333 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => fixture.ask("/api/items?limit=20", { key })));
  const received = answers
    .filter(({ statusCode }) => statusCode === 200)
    .reduce((sum, answer) => sum + answer.json().items.length, 0);
  assert.equal(received, 333);
  assert.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 429));
});

test("applies a raised and a removed quota to the current day", async () => {
  await using fixture = await createFixture();
  const { key: record, secret: key } = await fixture.createKey({ plan: "pro", dailyItems: 10 });
  await fixture.ask("/api/items?limit=10", { key });
  assert.equal((await fixture.ask("/api/items", { key })).statusCode, 429);
  await fixture.setKey(record.id, { dailyItems: 15 });
  assert.equal((await fixture.ask("/api/items", { key })).json().items.length, 5);
  await fixture.setKey(record.id, { dailyItems: "none" });
  assert.equal((await fixture.ask("/api/items", { key })).json().items.length, 20);
});

test("validates the usage period, at most 92 days", async () => {
  await using fixture = await createFixture();
  const status = async (query: string) => (await fixture.ask(`/api/usage?${query}`, { key: fixture.pro })).statusCode;
  assert.equal(await status("from=2026-08-21&to=2026-11-20"), 200);
  assert.equal(await status("from=2026-08-20&to=2026-11-20"), 400);
  assert.equal(await status("from=2026-11-21&to=2026-11-20"), 400);
  assert.equal(await status("from=2026-13-01"), 400);
  const [fault] = (await fixture.ask("/api/usage?from=2026-11-21", { key: fixture.pro })).json().errors;
  assert.deepEqual([fault.path, fault.reason], ["?from", "too_late"]);
  assert.equal(await status("to=2026-11-1"), 400);
  assert.equal((await fixture.ask("/api/usage", { key: fixture.pro })).headers["cache-control"], "no-store");
});

test("responds with 503 and Retry-After, not 500, while the store is unavailable", async () => {
  await using fixture = await createFixture({ outlines: () => Promise.reject(new StoreError("closed", "gone")) });
  assert.equal((await fixture.ask("/readyz")).statusCode, 200);
  Object.assign(fixture.meter, { admit: () => Promise.reject(new StoreError("closed", "gone")) });
  await fixture.database.close();
  for (const url of ["/readyz", "/carte/background.json", "/api/items"]) {
    const { statusCode, headers, body } = await fixture.ask(url, { key: fixture.pro });
    assert.deepEqual([statusCode, headers["retry-after"], JSON.parse(body).code], [503, "1", "not_ready"], url);
    assert.equal(JSON.parse(body).detail, "The store is unavailable.");
  }
});

test("handles store errors of another thread like its own", async () => {
  const { port1, port2 } = new MessageChannel();
  const faults = [new StoreError("overloaded", "busy"), new StoreError("crashed", "gone"), new Error("ours")];
  connectThread(port1, { ask: (at: number) => Promise.reject(faults[at]) });
  const calls = connectThread(port2, {});
  const received = faults.map((fault, at) =>
    calls.call("ask", at).catch((error: unknown) => [fault.message, classifyStorageError(error)]),
  );
  assert.deepEqual(await Promise.all(received), [
    ["busy", "overloaded"],
    ["gone", "down"],
    ["ours", null],
  ]);
  port1.close();
});

test("every endpoint with a key documents the problems of admission", () => {
  for (const { auth, id, problems } of directoryContract.endpoints.filter((endpoint) => endpoint.auth !== null))
    for (const code of ["rate_limited", "overloaded", "not_ready"] as const)
      assert.ok(problems.includes(code), `${code} of ${id}, ${auth}`);
});
