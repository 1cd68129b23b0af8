import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { directoryContract, getDiscovery } from "@triptych/contracts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

describe("HEAD, OPTIONS and the headers of caches", () => {
  let fixture: Fixture;
  before(async () => (fixture = await createFixture()));
  after(() => fixture[Symbol.asyncDispose]());

  test("the ETag changes with plan, format, fields, query and applied limit, and with nothing else", async () => {
    const tag = async (query: string, key = fixture.pro) =>
      String((await fixture.ask(`/api/items?${query}`, { key })).headers["etag"]);
    const base = await tag("type=place&limit=5");
    assert.match(base, /^W\/"1-[0-9a-f]{12}-[\w-]{22}"$/);
    assert.equal(await tag("limit=5&type=place"), base);
    const others = await Promise.all([
      tag("type=place&limit=6"),
      tag("type=place&limit=5", fixture.discovery),
      tag("type=place&limit=5&format=csv"),
      tag("type=place&limit=5&fields=title"),
      tag("type=actor&limit=5"),
      tag("type=-place&limit=5"),
      tag("tag=prefecture&limit=5"),
      tag("tag=-prefecture&limit=5"),
      tag("type=place&limit=5&offset=5"),
      tag("type=place&limit=5&facets=tag"),
      tag("type=place&limit=5&q=pre"),
      tag("type=place&limit=5&q=pre%20"),
    ]);
    assert.equal(new Set([base, ...others]).size, others.length + 1);
    const { secret } = await fixture.createKey({ plan: "pro", dailyItems: 3 });
    assert.notEqual(await tag("type=place&limit=5", secret), base);
  });

  test("HEAD returns the headers of GET", async () => {
    for (const url of [
      "/api/items?limit=3",
      "/api/items?limit=3&format=csv",
      "/api/items?limit=3&format=ndjson",
      "/api/items?type=place&limit=all&format=csv",
      "/api/item/place/rennes",
    ]) {
      const page = await fixture.ask(url, { key: fixture.pro });
      const head = await fixture.ask(url, { key: fixture.pro, method: "HEAD" });
      assert.deepEqual([head.statusCode, head.body], [200, ""], url);
      for (const name of [
        "etag",
        "link",
        "content-type",
        "content-length",
        "x-total-count",
        "x-offset",
        "content-disposition",
      ])
        assert.equal(head.headers[name], page.headers[name], `${name} of ${url}`);
    }
  });

  test("If-None-Match returns 304 without a body, by weak comparison", async () => {
    const first = await fixture.ask("/api/items?limit=4", { key: fixture.pro });
    const etag = String(first.headers["etag"]);
    for (const header of [etag, etag.slice(2), `"x", ${etag}`, "*"]) {
      const answer = await fixture.ask("/api/items?limit=4", {
        key: fixture.pro,
        headers: { "if-none-match": header },
      });
      assert.equal(answer.statusCode, 304, header);
      assert.equal(answer.body, "");
    }
    assert.equal(first.headers["vary"]?.toString().includes("X-API-Key"), true);
    assert.ok(first.headers["last-modified"]);
  });

  test("OPTIONS returns 204 with CORS headers on every path of the API", async () => {
    for (const url of ["/api", "/api/items", "/api/item/place/rennes", "/api/meta", "/api/usage"]) {
      const answer = await fixture.ask(url, { method: "OPTIONS" });
      assert.equal(answer.statusCode, 204);
      assert.equal(answer.headers["allow"], "GET, HEAD, OPTIONS");
      assert.equal(answer.headers["access-control-allow-origin"], "*");
      assert.equal(answer.headers["api-version"], "1");
    }
  });

  /** Headers that an endpoint's contract may define. */
  const SPOKEN_OF = /^(?:x-quota-|x-data-version|x-total|x-offset|ratelimit|etag|last-modified|link)/;

  test("responses have the headers and media type documented by their endpoint", async () => {
    for (const { answers, examples = [], id } of directoryContract.endpoints)
      for (const url of examples) {
        fixture.pass(10_000);
        const full = await fixture.ask(url, { key: fixture.pro });
        const tag = full.headers["etag"] ?? "none";
        for (const answer of [full, await fixture.ask(url, { key: fixture.pro, headers: { "if-none-match": tag } })]) {
          const { headers = {}, media = ["application/json"] } = answers[answer.statusCode] ?? {};
          // Formats other than JSON carry the envelope's counts and the file name in headers.
          const named = Object.keys(headers).map((name) => name.toLowerCase());
          assert.deepEqual(
            Object.keys(answer.headers)
              .filter((name) => SPOKEN_OF.test(name))
              .toSorted(),
            named.filter((name) => !/^(?:x-(?:total|offset|missing)|content-disposition)/.test(name)).toSorted(),
            `${id}: ${answer.statusCode}`,
          );
          const type = (answer.headers["content-type"] ?? media[0]).split(";")[0];
          assert.ok(media.includes(type), type);
        }
      }
    assert.ok(getDiscovery.answers[200].media.includes("text/html"));
  });
});
