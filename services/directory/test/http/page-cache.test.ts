import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPageCache } from "../../src/http/page-cache.ts";
import { createFixture } from "../support/create-fixture.ts";

const page = (bytes: number) => ({ body: Buffer.alloc(bytes), headers: {}, items: 0, total: 0 });

/** A cache whose `open` tells whether the page was rendered now. */
function countingCache(maxBytes: number) {
  const pages = createPageCache(maxBytes);
  return async (key: string, bytes: number): Promise<boolean> => {
    let rendered = false;
    await pages(key, async () => {
      rendered = true;
      return page(bytes);
    });
    return rendered;
  };
}

describe("the page cache", () => {
  test("evicts the least recently used page above its size", async () => {
    const renders = countingCache(100_000);
    for (let number = 1; number <= 20; number++) {
      assert.equal(await renders("q0", 5000), number === 1, "requested each time");
      assert.ok(await renders(`q${number}`, 5000));
    }
    assert.equal(await renders("q20", 5000), false);
    assert.equal(await renders("q6", 5000), false);
    assert.equal(await renders("q5", 5000), true);
  });

  test("does not cache a page above its share, and nothing with size 0", async () => {
    const [some, none] = [countingCache(100_000), countingCache(0)];
    for (let time = 0; time < 2; time++) {
      assert.ok(await some("large", 7000));
      assert.ok(await none("small", 1));
    }
  });

  test("does not cache a failure to render", async () => {
    const pages = createPageCache(100_000);
    await assert.rejects(
      pages("q", () => Promise.reject(new Error("closed"))),
      /closed/,
    );
    assert.equal((await pages("q", async () => page(5))).body.length, 5);
  });

  test("is not consulted for an invalid request or a missing plan", async () => {
    await using fixture = await createFixture();
    const url = "/api/items?near=48.1,-1.6&radius=20";
    assert.equal((await fixture.ask(url, { key: fixture.pro })).statusCode, 200);
    assert.equal((await fixture.ask(url, { key: fixture.discovery })).statusCode, 403);
    assert.equal((await fixture.ask(`${url}&colour=red`, { key: fixture.pro })).statusCode, 400);
  });

  test("returns the same page for a repeated request, counted and billed again", async () => {
    await using fixture = await createFixture();
    const { key, secret } = await fixture.createKey({ plan: "pro" });
    const url = "/api/items?tag=prefecture&limit=7&offset=3&facets=type";
    const answers = [await fixture.ask(url, { key: secret }), await fixture.ask(url, { key: secret })];
    const [first, again] = answers.map(({ headers, body }) => ({ body, headers: lasting(headers) }));
    assert.deepEqual(again, first);
    assert.deepEqual(
      answers.map(({ headers }) => headers["x-quota-remaining"]),
      ["49993", "49986"],
    );
    await fixture.meter.flush();
    const day = new Date(fixture.now()).toISOString().slice(0, 10);
    const [usage] = await fixture.meter.usage(key.id, day, day);
    assert.deepEqual([usage?.requests, usage?.items], [2, 14]);
    assert.equal(usage?.bytes, 2 * Buffer.byteLength(answers[0]?.body ?? ""));
  });

  test("separates plans, formats and quotas", async () => {
    await using fixture = await createFixture();
    const url = "/api/items?type=place&limit=5";
    const { secret } = await fixture.createKey({ plan: "pro", dailyItems: 8 });
    const bodies = [
      await fixture.ask(url, { key: fixture.pro }),
      await fixture.ask(url, { key: fixture.discovery }),
      await fixture.ask(url, { key: fixture.pro, headers: { accept: "text/csv" } }),
      await fixture.ask(url, { key: secret }),
      await fixture.ask(url, { key: secret }),
    ].map(({ body }) => body);
    assert.equal(bodies[3], bodies[0]);
    assert.equal(new Set(bodies).size, 4);
    const refused = await fixture.ask(url, { key: secret });
    assert.equal(refused.statusCode, 429, "the quota is used up, although the page is cached");
  });

  test("returns 304 without a body to a client with the current page", async () => {
    await using fixture = await createFixture();
    const url = "/api/items?type=article";
    const { headers } = await fixture.ask(url, { key: fixture.pro });
    const asking = { key: fixture.pro, headers: { "if-none-match": String(headers["etag"]) } };
    const [, again] = [await fixture.ask(url, asking), await fixture.ask(url, asking)];
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, "");
    assert.equal(again.headers["x-quota-remaining"], headers["x-quota-remaining"]);
    assert.equal(again.headers["content-type"], undefined);
  });

  test("returns the same headers for HEAD without cost", async () => {
    await using fixture = await createFixture();
    const url = "/api/items?type=article&limit=2";
    const [first, again] = [
      await fixture.ask(url, { key: fixture.pro, method: "HEAD" }),
      await fixture.ask(url, { key: fixture.pro, method: "HEAD" }),
    ];
    assert.deepEqual(lasting(again.headers), lasting(first.headers));
    assert.equal(again.headers["x-quota-remaining"], "50000");
  });

  test("marks responses to a URL with a key as private, and their links have no key", async () => {
    await using fixture = await createFixture();
    const url = `/api/items?type=article&key=${fixture.pro}`;
    const [first, again] = [await fixture.ask(url), await fixture.ask(url)];
    assert.equal(again.headers["cache-control"], "private, no-store");
    assert.equal(again.body, first.body);
    assert.ok(!again.body.includes(fixture.pro));
  });
});

/** All headers except per-request ones. */
function lasting(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const passing = /^(?:x-request-id|date|ratelimit|x-quota-)/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name)));
}
