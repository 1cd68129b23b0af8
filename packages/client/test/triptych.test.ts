import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTriptych } from "../src/index.ts";
import { publicEndpoints } from "../src/triptych.ts";
import { problem, scripted } from "./support/scripted.ts";

const services = {
  directory: { url: "http://directory.test", key: "dir_test_1" },
  panel: { url: "http://panel.test", token: "pnl_1" },
  rail: { url: "http://rail.test", wallet: "rail_test_1", admin: "rail_admin_1" },
  gateway: { url: "http://gateway.test", wallet: "rail_test_1" },
};

function triptychOf(answers: readonly (Response | Error)[]) {
  const { transport, requests, waited } = scripted(answers);
  return { triptych: createTriptych({ ...services, ...transport }), requests, waited };
}

describe("methods", () => {
  test("take path, query and body parameters in one object, whose names never collide", () => {
    for (const service of ["directory", "panel", "rail", "router", "gateway"] as const)
      for (const { id, params, query, body } of publicEndpoints(service)) {
        const objects = [params, query, ...(body === undefined ? [] : [body])];
        const names = objects.flatMap((schema) =>
          schema !== undefined && "properties" in schema ? Object.keys(Object(schema.properties)) : [],
        );
        assert.equal(new Set(names).size, names.length, id);
      }
  });

  test("send each parameter to its part of the request, with the credential of the service", async () => {
    const { triptych, requests } = triptychOf([Response.json({ id: "run_1" }), Response.json({}), Response.json({})]);
    await triptych.panel.runs.create({ id: "rep_1", focus: "tests" });
    await triptych.rail.wallet.get();
    await triptych.rail.admin.keys.list();
    const [run, wallet, keys] = requests.map(({ url, init }) => ({ url, init, headers: new Headers(init.headers) }));
    assert.deepEqual([run?.url, run?.init.body], ["http://panel.test/api/repos/rep_1/run", '{"focus":"tests"}']);
    assert.equal(run?.headers.get("authorization"), "Bearer pnl_1");
    assert.equal(wallet?.headers.get("x-rail-wallet"), "rail_test_1");
    assert.equal(keys?.headers.get("authorization"), "Bearer rail_admin_1");
  });

  test("give the headers of a response on request", async () => {
    const { triptych, requests } = triptychOf([Response.json({ route: "a" }, { headers: { "X-Rail-Receipt": "r" } })]);
    const { body, headers } = await triptych.gateway.route({ state: "hello" }).withResponse();
    assert.deepEqual([body.route, headers.get("x-rail-receipt")], ["a", "r"]);
    // The gateway honors the key for billed decisions, so that a retry is not charged twice.
    assert.ok(new Headers(requests[0]?.init.headers).has("idempotency-key"));
  });

  test("throw for a service without an address", async () => {
    await assert.rejects(async () => createTriptych({}).router.heads.list(), /address of the router is missing/);
  });
});

describe("iteration", () => {
  test("follows the cursor until the last page", async () => {
    const { triptych, requests } = triptychOf([
      Response.json({ items: [{ id: "rep_1" }, { id: "rep_2" }], next_cursor: "c 2" }),
      Response.json({ items: [{ id: "rep_3" }], next_cursor: null }),
    ]);
    const ids: string[] = [];
    for await (const { id } of triptych.panel.repos.iterate({ limit: 2 })) ids.push(id);
    assert.deepEqual(ids, ["rep_1", "rep_2", "rep_3"]);
    assert.equal(requests[1]?.url, "http://panel.test/api/repos?limit=2&cursor=c+2");
  });

  test("follows the offset until the total", async () => {
    const pages = [3, 1].map((count) =>
      Response.json({ items: Array.from({ length: count }, (_, at) => ({ slug: `s${at}` })), total: 4 }),
    );
    const { triptych, requests } = triptychOf(pages);
    let count = 0;
    for await (const item of triptych.directory.items.iterate({ q: "musée" })) count += item.slug === "" ? 0 : 1;
    assert.deepEqual([count, requests.length], [4, 2]);
    assert.equal(requests[1]?.url, "http://directory.test/api/items?q=mus%C3%A9e&offset=3");
  });

  test("throws the quota problem that cuts a list short", async () => {
    const { triptych } = triptychOf([
      Response.json({ items: [{ slug: "a" }], total: 4, quota_truncated: true }),
      problem(429, "quota_exceeded", { "Retry-After": "3600" }),
    ]);
    const all = triptych.directory.items.iterate({});
    assert.equal((await all.next()).done, false);
    await assert.rejects(all.next(), { code: "quota_exceeded", retryAfter: 3600 });
  });

  test("does not request pages that are not read", async () => {
    const { triptych, requests } = triptychOf([Response.json({ items: [{ id: "rep_1" }], next_cursor: "c" })]);
    for await (const _repo of triptych.panel.repos.iterate()) break;
    assert.equal(requests.length, 1);
  });
});
