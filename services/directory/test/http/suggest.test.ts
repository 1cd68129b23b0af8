/** `/api/suggest`: what it costs, its bounds, and what each plan sees. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

describe("GET /api/suggest", () => {
  it("completes for every plan alike, for one request and no items", async () => {
    await using fixture = await createFixture();
    const answers = [];
    for (const key of [fixture.discovery, fixture.pro]) {
      const response = await fixture.ask("/api/suggest?q=renn", { key });
      assert.equal(response.statusCode, 200);
      answers.push(response.body);
      const usage = await fixture.ask("/api/usage", { key });
      const { day, minute } = usage.json<{ day: { used: number }; minute: { remaining: number; limit: number } }>();
      assert.deepEqual([day.used, minute.limit - minute.remaining], [0, 2]);
    }
    assert.equal(answers[0], answers[1]);
    const [first] = JSON.parse(answers[0]) as { kind: string; text: string }[];
    assert.deepEqual([first.kind, first.text], ["commune", "Rennes"]);
    assert.doesNotMatch(answers[0], /location|lat|address/);
  });

  it("requires a key, and answers 304 to the same ETag", async () => {
    await using fixture = await createFixture();
    assert.equal((await fixture.ask("/api/suggest?q=a")).statusCode, 401);
    const { headers } = await fixture.ask("/api/suggest?q=a", { key: fixture.discovery });
    const again = await fixture.ask("/api/suggest?q=a", {
      key: fixture.discovery,
      headers: { "if-none-match": String(headers["etag"]) },
    });
    assert.equal(again.statusCode, 304);
  });

  it("reports every issue of a request at once", async () => {
    await using fixture = await createFixture();
    const table: readonly (readonly [query: string, ...paths: string[]])[] = [
      ["", "?q"],
      ["q=", "?q"],
      ["q=-", "?q"],
      [`q=${"a".repeat(101)}`, "?q"],
      ["q=a&limit=0&type=lieu", "?limit", "?type"],
      ["q=a&limit=21", "?limit"],
      ["q=a&lmit=2", "?lmit"],
      ["q=a&q=b", "?q"],
    ];
    for (const [query, ...paths] of table) {
      const response = await fixture.ask(`/api/suggest?${query}`, { key: fixture.discovery });
      assert.equal(response.statusCode, 400, query);
      const { errors } = response.json<{ errors: { path: string }[] }>();
      assert.deepEqual(errors.map(({ path }) => path).sort(), paths, query);
    }
  });
});
