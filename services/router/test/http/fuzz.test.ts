import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, problems } from "@triptych/contracts";
import { createFixture } from "../support/create-fixture.ts";
import { publishedSchemas } from "../support/published-schemas.ts";
import { randomRequest } from "../support/random-requests.ts";
import { seeded } from "../support/seeded.ts";

/** The long campaign sends 20 000 requests. */
const COUNT = process.env["TEST_LONG"] === undefined ? 1500 : 20_000;

/** Checks beyond a schema: dependencies between fields, equal members, totals over several values, message content. */
const BEYOND_SCHEMA = new Set(["not_together", "no_user_message", "empty", "uniqueItems"]);

function isBeyondSchema(path: string, reason: string): boolean {
  return (
    BEYOND_SCHEMA.has(reason) ||
    /^\/?(?:messages|input|state)[/.]/.test(path) ||
    path.startsWith("?") ||
    reason === "option_unknown" ||
    reason === "unknown_parameter"
  );
}

test("no generated request gets a 5xx, every rejection lists its issues, and the published schemas agree with the parsers", async () => {
  await using fixture = await createFixture();
  const schemas = await publishedSchemas(fixture);
  const random = seeded(20_261_122);
  const seen = new Map<string, number>();
  for (let count = 0; count < COUNT; count++) {
    const { path, method, headers, body } = randomRequest(random);
    const answer = await fixture.ask(path, { method, headers, ...(body !== undefined && { body }) });
    const about = `${method} ${path} ${body?.slice(0, 500)} -> ${answer.statusCode} ${answer.body.slice(0, 500)}`;
    const plain = path.replace(/\?.*/, "");
    seen.set(`${answer.statusCode}`, (seen.get(`${answer.statusCode}`) ?? 0) + 1);
    assert.ok(answer.statusCode < 500, about);
    assert.ok(answer.headers["x-request-id"], about);
    if (method !== "POST" || body === undefined) continue;
    const responseBody = answer.json();
    if (answer.statusCode === 200) {
      assert.deepEqual(schemas.ofRequest(plain, JSON.parse(body)), [], about);
      assert.deepEqual(schemas.ofAnswer(plain, 200, responseBody), [], about);
      assert.equal(answer.body, canonicalJson(responseBody), about);
      continue;
    }
    assert.equal(responseBody.status, answer.statusCode, about);
    assert.equal(typeof responseBody.error.message, "string", about);
    assert.equal(responseBody.error.code, responseBody.code, about);
    assert.ok(Object.hasOwn(problems, responseBody.code), about);
    const issues: { path: string; reason: string }[] =
      answer.statusCode === 422
        ? responseBody.detail.map((item: { loc: unknown[]; type: string }) => ({
            path: item.loc.slice(1).join("."),
            reason: item.type,
          }))
        : (responseBody.errors ?? []).map((item: { path: string; reason: string }) => ({
            path: item.path,
            reason: item.reason,
          }));
    if (responseBody.code !== "validation_failed") continue;
    assert.ok(issues.length > 0, about);
    if (issues.some(({ path, reason }) => !isBeyondSchema(path, reason)))
      assert.notDeepEqual(schemas.ofRequest(plain, JSON.parse(body)), [], about);
  }
  for (const status of ["200", "400", "404", "405", "415", "422"])
    assert.ok(seen.has(status), `no ${status} among ${JSON.stringify([...seen])}`);
  assert.ok((seen.get("200") ?? 0) > COUNT / 10, JSON.stringify([...seen]));
  assert.ok(!fixture.lines.some((line) => line.includes('"level":"error"')), "no error was logged");
});
