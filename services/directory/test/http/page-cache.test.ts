import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPageCache, type CachedPage } from "../../src/http/page-cache.ts";
import { createFixture } from "../support/create-fixture.ts";

const VERSION = { number: 1, id: "1-abc", publishedAt: 0 };
const page = (bytes: number): CachedPage => ({
  body: Buffer.alloc(bytes),
  headers: {},
  tags: [],
  items: 0,
  holdsItems: true,
  geo: false,
});

describe("the page cache", () => {
  test("evicts the least recently used page above its size", () => {
    const pages = createPageCache(100_000);
    const names = Array.from({ length: 20 }, (_, number) => `q${number}`);
    for (const name of names) {
      pages.keep(VERSION, name, page(5000));
      assert.ok(pages.find(VERSION, "q0"), "requested each time");
    }
    const cached = names.filter((name) => pages.find(VERSION, name) !== undefined);
    assert.equal(cached.length, 16);
    assert.deepEqual(cached, ["q0", ...names.slice(-15)]);
  });

  test("does not cache a page above its share, and nothing with size 0", () => {
    const [some, none] = [createPageCache(100_000), createPageCache(0)];
    some.keep(VERSION, "large", page(7000));
    none.keep(VERSION, "small", page(1));
    assert.equal(some.find(VERSION, "large"), undefined);
    assert.equal(none.find(VERSION, "small"), undefined);
  });

  test("is cleared by a new version", () => {
    const pages = createPageCache(100_000);
    const next = { ...VERSION, number: 2, id: "2-def" };
    pages.keep(VERSION, "q", page(10));
    assert.equal(pages.find(next, "q"), undefined);
    pages.keep(next, "p", page(10));
    assert.equal(pages.find(VERSION, "q"), undefined);
    assert.equal(pages.find(next, "q"), undefined);
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

  test("does not cache responses to a URL with a key", async () => {
    await using fixture = await createFixture();
    const url = `/api/items?type=article&key=${fixture.pro}`;
    const [first, again] = [await fixture.ask(url), await fixture.ask(url)];
    assert.equal(again.headers["cache-control"], "private, no-store");
    assert.equal(again.body, first.body);
  });
});

/** All headers except per-request ones. */
function lasting(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const passing = /^(?:x-request-id|date|ratelimit|x-quota-)/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name)));
}
