import assert from "node:assert/strict";
import { test } from "node:test";
import { problems } from "@triptych/contracts";
import { builtWebSite } from "@triptych/web/build";
import { createFixture } from "../support/create-fixture.ts";
import { seeded } from "../support/random.ts";
import { randomRequest } from "../support/random-requests.ts";

/** The long form has 20,000 requests. */
const COUNT = process.env["TEST_LONG"] === undefined ? 3000 : 20_000;

test("no generated request gets a 5xx, and every rejection is a known problem that lists its issues", async () => {
  await using fixture = await createFixture({ mapFolder: builtWebSite("map") });
  const { secret: pro } = await fixture.createKey({ plan: "pro", dailyItems: "none" });
  const { secret: discovery } = await fixture.createKey({ dailyItems: 2000 });
  const random = seeded(20_261_126);
  const seen = new Map<number, number>();
  for (let count = 0; count < COUNT; count++) {
    const { method, url, headers } = randomRequest(random);
    fixture.pass(600);
    const key = random.pick([pro, pro, discovery, discovery, ""]);
    const answer = await fixture.ask(encodable(url), {
      method,
      headers: { ...headers, ...(key !== "" && { "x-api-key": key }) },
    });
    const about = `${method} ${url} ${JSON.stringify(headers)} -> ${answer.statusCode} ${answer.body.slice(0, 300)}`;
    seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1);
    assert.ok(answer.statusCode < 500, about);
    assert.ok(answer.headers["x-request-id"], about);
    if (answer.statusCode < 400 || method === "HEAD" || answer.headers["content-encoding"]) continue;
    const body = answer.json();
    assert.ok(Object.hasOwn(problems, body.code), about);
    assert.equal(body.status, answer.statusCode, about);
    if (body.code === "validation_failed")
      assert.ok(body.errors.length > 0 && body.errors.every((issue: { message: string }) => issue.message), about);
  }
  assert.deepEqual(fixture.errors, []);
  for (const status of [200, 204, 304, 400, 401, 403, 404, 405, 406, 414])
    assert.ok(seen.has(status), `no ${status} among ${JSON.stringify([...seen])}`);
});

/** Limited to what a socket can carry: clients percent-encode everything above Latin-1. */
function encodable(url: string): string {
  return url.replaceAll(/[^\u0021-\u007e]/gu, (character) => encodeURIComponent(character));
}
