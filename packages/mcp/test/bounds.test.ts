import assert from "node:assert/strict";
import { test } from "node:test";
import { RESULT_MAX_BYTES } from "../src/page-text.ts";
import { callText, connectInMemory, environmentOf, startFakeService } from "./support/fixture.ts";

const LONG = "é".repeat(1_000);
const entries = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => ({ seq: first + index + 1, title: `${first + index + 1} ${LONG}` }));
const parameters = (url: string) => new URL(url, "http://any.test").searchParams;

function jsonIn(text: string): { readonly items: readonly { readonly seq: number }[] } {
  return JSON.parse(/\nBEGIN \S+\n([^]*)\nEND /.exec(text)?.[1] ?? "");
}

test("shortens a list by whole items, and continues by offset without a gap", async () => {
  await using service = await startFakeService(({ url }) => {
    const offset = Number(parameters(url).get("offset") ?? 0);
    return { body: { total: 60, items: entries(Math.min(50, 60 - offset), offset) } };
  });
  await using connected = await connectInMemory(environmentOf(service.url));
  const found: number[] = [];
  let args: Readonly<Record<string, unknown>> | null = { limit: 50 };
  while (args !== null) {
    const { text } = await callText(connected.client, "directory_search", args);
    assert.ok(Buffer.byteLength(text) <= RESULT_MAX_BYTES);
    found.push(...jsonIn(text).items.map(({ seq }) => seq));
    const [, next] = /Next page: repeat the call with (\{.*\})\.$/.exec(text) ?? [];
    args = next === undefined ? null : { limit: 50, ...JSON.parse(next) };
  }
  assert.deepEqual(
    found,
    entries(60).map(({ seq }) => seq),
  );
});

test("requests a shorter page if only the API can create the cursor", async () => {
  await using service = await startFakeService(({ url }) => {
    const limit = Number(parameters(url).get("limit"));
    return { body: { items: entries(limit), next_cursor: `after-${limit}` } };
  });
  await using connected = await connectInMemory(environmentOf(service.url));
  const { text } = await callText(connected.client, "list_repos", { limit: 100 });
  const { items } = jsonIn(text);
  assert.ok(items.length > 10 && items.length < 100);
  assert.match(text, new RegExp(`Next page: repeat the call with \\{"cursor":"after-${items.length}"\\}\\.$`));
  assert.equal(service.requests.length, 2);
});

test("continues events after the last one that fits", async () => {
  await using service = await startFakeService(() => ({
    body: { run_id: "run_1", state: "running", items: entries(100), last_seq: 100, complete: true },
  }));
  await using connected = await connectInMemory(environmentOf(service.url));
  const { text } = await callText(connected.client, "read_run_events", { id: "run_1" });
  const last = jsonIn(text).items.at(-1)?.seq;
  assert.match(text, new RegExp(`Only ${last} of 100 entries fit[^]*\\{"after":${last}\\}`));
});

test("truncates a single entry that is too long, and continues after it", async () => {
  const long = LONG.repeat(100);
  await using service = await startFakeService(({ url }) => {
    const seq = Number(parameters(url).get("after") ?? parameters(url).get("offset") ?? 0) + 1;
    const items = [{ seq, title: long }, { seq: seq + 1 }].slice(0, Number(parameters(url).get("limit") ?? 2));
    return { body: { items, total: 2, last_seq: 2, complete: true, next_cursor: "second" } };
  });
  await using connected = await connectInMemory(environmentOf(service.url));
  for (const [name, next] of [
    ["directory_search", '{"offset":1}'],
    ["read_run_events", '{"after":1}'],
    ["list_repos", '{"cursor":"second"}'],
  ]) {
    const args: Readonly<Record<string, unknown>> = name === "read_run_events" ? { id: "run_1" } : {};
    const { text } = await callText(connected.client, name, args);
    assert.ok(Buffer.byteLength(text) <= RESULT_MAX_BYTES, name);
    assert.match(text, /Truncated: the first \d+ of \d+ bytes\./, name);
    assert.ok(text.endsWith(`Next page: repeat the call with ${next}.`), name);
  }
});

test("has no next page after the last one", async () => {
  await using service = await startFakeService(() => ({ body: { total: 2, items: entries(2), next_cursor: null } }));
  await using connected = await connectInMemory(environmentOf(service.url));
  for (const name of ["directory_search", "list_repos"])
    assert.doesNotMatch((await callText(connected.client, name)).text, /Next page/);
});

test("truncates any other result at 64 KiB, with the sizes and advice", async () => {
  const buckets = Array.from({ length: 2_000 }, (_, day) => ({ day, text: LONG.slice(0, 40) }));
  await using service = await startFakeService(() => ({ body: { buckets } }));
  await using connected = await connectInMemory(environmentOf(service.url));
  const { text, isError } = await callText(connected.client, "wallet_usage");
  assert.equal(isError, false);
  assert.ok(Buffer.byteLength(text) <= RESULT_MAX_BYTES);
  assert.match(text, /Truncated: the first \d+ of \d+ bytes\. Use a shorter period/);
});
