import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

async function series(fixture: Fixture, name: string): Promise<string[]> {
  const { body } = await fixture.ask("/metrics");
  return body
    .split("\n")
    .filter((line) => line.startsWith(name) && !line.includes("_bucket"))
    .map((line) => line.replace(/,?service="directory",?/, ""));
}

test("counts items served by plan and format, only those that were sent", async () => {
  await using fixture = await createFixture();
  await fixture.ask("/api/items?limit=7", { key: fixture.discovery });
  await fixture.ask("/api/items?limit=3&format=csv", { key: fixture.pro });
  await fixture.ask("/api/items?limit=all&format=ndjson&type=article", { key: fixture.pro });
  await fixture.ask("/api/item/place/rennes?format=ld%2Bjson", { key: fixture.pro });
  await fixture.ask("/api/items?limit=7", { key: fixture.pro, method: "HEAD" });
  await fixture.ask("/api/items?limit=0", { key: fixture.pro });
  assert.deepEqual((await series(fixture, "directory_items_served_total")).sort(), [
    'directory_items_served_total{plan="discovery",format="json"} 7',
    'directory_items_served_total{plan="pro",format="csv"} 3',
    'directory_items_served_total{plan="pro",format="ld+json"} 1',
    'directory_items_served_total{plan="pro",format="ndjson"} 18',
  ]);
});

test("counts refusals by policy and reason, and no other problems", async () => {
  await using fixture = await createFixture();
  const { secret: small } = await fixture.createKey({ dailyItems: 1 });
  await fixture.ask("/api/items");
  await fixture.ask("/api/items", { key: "dir_test_wrong" });
  await fixture.ask("/api/items?near=48,2", { key: fixture.discovery });
  await fixture.ask("/api/items?limit=all&format=csv", { key: fixture.discovery });
  await fixture.ask("/api/items?sort=nonsense", { key: fixture.pro });
  await fixture.ask("/api/item/place/none", { key: fixture.pro });
  for (let count = 0; count < 2; count++) await fixture.ask("/api/items?limit=1", { key: small });
  for (let count = 0; count < 119; count++) await fixture.ask("/api/meta", { key: small });
  assert.deepEqual((await series(fixture, "directory_refusals_total")).sort(), [
    'directory_refusals_total{policy="items-day",reason="quota_exceeded"} 1',
    'directory_refusals_total{policy="key",reason="key_invalid"} 1',
    'directory_refusals_total{policy="key",reason="key_required"} 1',
    'directory_refusals_total{policy="minute",reason="rate_limited"} 1',
    'directory_refusals_total{policy="plan",reason="export"} 1',
    'directory_refusals_total{policy="plan",reason="geo"} 1',
  ]);
});

test("counts searches by engine, and times those that the page cache did not answer", async () => {
  await using fixture = await createFixture();
  for (let count = 0; count < 3; count++) await fixture.ask("/api/items?q=musee", { key: fixture.pro });
  await fixture.ask("/api/items?limit=all&format=csv", { key: fixture.pro });
  assert.deepEqual(await series(fixture, "directory_searches_total"), [
    'directory_searches_total{engine="memory",result="computed"} 1',
    'directory_searches_total{engine="memory",result="cached"} 2',
    'directory_searches_total{engine="memory",result="streamed"} 1',
  ]);
  assert.deepEqual(await series(fixture, "directory_search_duration_seconds_count"), [
    'directory_search_duration_seconds_count{engine="memory"} 1',
  ]);
});

test("exposes the served version with its publication time, and rows that wait for the store", async () => {
  await using fixture = await createFixture();
  const served = (await fixture.ask("/api/meta", { key: fixture.pro })).json();
  await fixture.meter.flush();
  const number = String(served.version).split("-")[0];
  assert.deepEqual(await series(fixture, "directory_version_number"), [`directory_version_number{} ${number}`]);
  assert.deepEqual(await series(fixture, "directory_version_published"), [
    `directory_version_published_timestamp_seconds{} ${Date.parse(served.generated_at) / 1000}`,
  ]);
  assert.deepEqual(await series(fixture, "directory_version_stale"), ["directory_version_stale{} 0"]);
  assert.deepEqual(await series(fixture, "directory_meter_waiting_rows"), ["directory_meter_waiting_rows{} 0"]);
  assert.deepEqual(await series(fixture, "directory_meter_lag_seconds"), ["directory_meter_lag_seconds{} 0"]);
});

test("has no series of a version before the first one", async () => {
  await using fixture = await createFixture({ catalogue: null });
  assert.deepEqual(await series(fixture, "directory_version_number"), []);
});
