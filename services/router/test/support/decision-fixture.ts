/** Short calls to the native decision endpoints; checks every response against its published schema. */
import assert from "node:assert/strict";
import { customExpert, undecidedExpert } from "./custom-expert.ts";
import { createFixture } from "./create-fixture.ts";
import { publishedSchemas } from "./published-schemas.ts";

export const ENDPOINTS = ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess"] as const;

export async function createDecisionFixture() {
  const fixture = await createFixture({
    custom: [customExpert("acme_desk", { auto: true }), undecidedExpert("careful")],
  });
  const schemas = await publishedSchemas(fixture);

  return {
    ask: fixture.ask,
    schemas,
    async decided(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
      const answer = await fixture.ask(path, { body, headers });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.deepEqual(schemas.ofAnswer(path, 200, answer.json()), []);
      return answer.json();
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

const COMMON = ["object", "model", "id", "expert", "domain", "latency_ms", "usage"];

/** The endpoint's own members, without the common ones. */
export function without(body: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !COMMON.includes(name)));
}
