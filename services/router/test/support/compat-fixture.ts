/** Short calls to both compatible APIs; checks every response against its published schema, canonical form and ids. */
import assert from "node:assert/strict";
import { canonicalJson } from "@triptych/contracts";
import type { InjectOptions } from "fastify";
import { customExpert } from "./custom-expert.ts";
import { createFixture, SERVICE_TOKEN } from "./create-fixture.ts";
import { publishedSchemas } from "./published-schemas.ts";

export const OF_ACME = { authorization: `Bearer ${SERVICE_TOKEN}`, "x-router-owner": "acme" };
export const state = "I want my money back for the lamp";
export const SIDES = {
  true: "the customer wants money back, a refund",
  false: "the customer asks for the weather forecast",
};

export async function createCompatFixture() {
  const fixture = await createFixture({ custom: [customExpert("acme_desk")] });
  const schemas = await publishedSchemas(fixture);

  async function answered(path: "/v1/systemone" | "/v1/decisions", body: object, headers = {}) {
    const answer = await fixture.ask(path, { body, headers });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.body, canonicalJson(answer.json()));
    assert.deepEqual(schemas.ofAnswer(path, 200, answer.json()), []);
    assert.equal(answer.headers["x-typesafe-request-id"], answer.headers["x-request-id"]);
    return answer.json();
  }

  return {
    ask: fixture.ask,
    inject: (options: InjectOptions) => fixture.server.fastify.inject(options),
    systemone: (questions: object, more: object = {}, headers = {}) =>
      answered("/v1/systemone", { state, questions, ...more }, headers),
    decisions: (questions: readonly object[], more: object = {}) =>
      answered("/v1/decisions", { model: "gpt-6-luna", input: state, questions, ...more }),
    async refused(path: string, body: unknown) {
      const answer = await fixture.ask(path, { body });
      assert.equal(answer.statusCode, 422, answer.body);
      assert.match(String(answer.headers["content-type"]), /^application\/json/);
      assert.deepEqual(schemas.ofAnswer(path.replace(/\?.*/, ""), 422, answer.json()), []);
      return answer.json();
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, p) => sum + p, 0);
}
