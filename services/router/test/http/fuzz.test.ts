import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, problems } from "@triptych/contracts";
import { openScene } from "../support/create-fixture.ts";
import { publishedSchemas } from "../support/published-schemas.ts";
import { randomRequest } from "../support/random-requests.ts";
import { seeded } from "../support/seeded.ts";

/** The long campaign is 20 000 requests. */
const COUNT = process.env["TRIPTYCH_LONG"] === undefined ? 1500 : 20_000;

/** What a schema does not say: what belongs together, what several values are in sum, what is inside a message's content. */
const BEYOND_SCHEMA = new Set(["not_together", "no_user_message", "empty", "repeated"]);

function isBeyondSchema(place: string, reason: string): boolean {
  return (
    BEYOND_SCHEMA.has(reason) ||
    /^\/?(?:messages|input|state)[/.]/.test(place) ||
    place.startsWith("?") ||
    reason === "unknown_parameter"
  );
}

test("no generated request gets a 5xx, every refusal is a problem with its faults, and the published schemas say the same as the readers", async () => {
  await using scene = await openScene();
  const schemas = await publishedSchemas(scene);
  const random = seeded(20_261_122);
  const seen = new Map<string, number>();
  for (let count = 0; count < COUNT; count++) {
    const { path, method, headers, body } = randomRequest(random);
    const answer = await scene.ask(path, { method, headers, ...(body !== undefined && { body }) });
    const about = `${method} ${path} ${body?.slice(0, 500)} -> ${answer.statusCode} ${answer.body.slice(0, 500)}`;
    const plain = path.replace(/\?.*/, "");
    seen.set(`${answer.statusCode}`, (seen.get(`${answer.statusCode}`) ?? 0) + 1);
    assert.ok(answer.statusCode < 500, about);
    assert.ok(answer.headers["x-request-id"], about);
    if (method !== "POST" || body === undefined) continue;
    const said = answer.json();
    if (answer.statusCode === 200) {
      assert.deepEqual(schemas.ofRequest(plain, JSON.parse(body)), [], about);
      assert.deepEqual(schemas.ofAnswer(plain, 200, said), [], about);
      assert.equal(answer.body, canonicalJson(said), about);
      continue;
    }
    assert.equal(said.status, answer.statusCode, about);
    assert.equal(typeof said.error.message, "string", about);
    assert.equal(said.error.code, said.code, about);
    assert.ok(Object.hasOwn(problems, said.code), about);
    const faults: { place: string; reason: string }[] =
      answer.statusCode === 422
        ? said.detail.map((one: { loc: unknown[]; type: string }) => ({
            place: one.loc.slice(1).join("."),
            reason: one.type,
          }))
        : (said.errors ?? []).map((one: { path: string; reason: string }) => ({ place: one.path, reason: one.reason }));
    if (said.code !== "validation_failed") continue;
    assert.ok(faults.length > 0, about);
    if (faults.some(({ place, reason }) => !isBeyondSchema(place, reason)))
      assert.notDeepEqual(schemas.ofRequest(plain, JSON.parse(body)), [], about);
  }
  for (const status of ["200", "400", "404", "405", "415", "422"])
    assert.ok(seen.has(status), `no ${status} among ${JSON.stringify([...seen])}`);
  assert.ok((seen.get("200") ?? 0) > COUNT / 10, JSON.stringify([...seen]));
  assert.ok(!scene.lines.some((line) => line.includes('"level":"error"')), "nothing was logged as a fault");
});
