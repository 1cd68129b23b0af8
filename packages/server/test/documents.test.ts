import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { directoryContract, gatewayContract, problems } from "@triptych/contracts";
import { openApiDocument } from "../src/index.ts";
import { contract, openScene } from "./support.ts";

for (const one of [contract, directoryContract]) {
  test(`the OpenAPI document of ${one.name} is valid by a validator that is not ours`, async () => {
    const document = JSON.parse(JSON.stringify(openApiDocument(one, { url: "http://127.0.0.1:1" })));
    const { valid, errors } = await new Validator().validate(document);
    assert.ok(valid, JSON.stringify(errors));
  });
}

test("a status that is answered in two forms is described in both, and a 402 with the headers that lead to the remedy", () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument(gatewayContract, { url: "http://127.0.0.1:1" })));
  const { responses } = paths["/v1/decisions"].post;
  assert.deepEqual(Object.keys(responses["422"].content), ["application/json", "application/problem+json"]);
  assert.match(responses["422"].description, /validation_failed.*idempotency_key_reused/);
  assert.deepEqual(Object.keys(responses["402"].headers), ["Link", "PAYMENT-REQUIRED"]);
});

test("every problem of the catalogue has a page, and nothing else has", async () => {
  await using scene = await openScene();
  for (const [code, { title }] of Object.entries(problems)) {
    const answer = await scene.server.fastify.inject(`/problems/${code}`);
    assert.equal(answer.statusCode, 200);
    assert.match(answer.body, new RegExp(title.replaceAll(/[^\w ]/g, ".+")));
    assert.match(String(answer.headers["content-security-policy"]), /default-src 'none'/);
  }
  assert.equal((await scene.server.fastify.inject("/problems/toString")).statusCode, 404);
});

test("the guide for agents names every endpoint and credential", async () => {
  await using scene = await openScene();
  const { body } = await scene.server.fastify.inject("/llms.txt");
  for (const endpoint of contract.endpoints) assert.ok(body.includes(endpoint.path));
  assert.ok(body.includes("X-API-Key"));
  assert.match(body, /- color.* \(red, green, blue\)/, "an agent need not guess the values of a closed list");
});
