import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { directoryContract, gatewayContract, panelContract, problems, railContract } from "@triptych/contracts";
import { openApiDocument } from "../src/index.ts";
import { compileInput } from "../src/input.ts";
import { contract, createFixture } from "./support.ts";

for (const service of [contract, directoryContract]) {
  test(`the OpenAPI document of ${service.name} passes an independent validator`, async () => {
    const document = JSON.parse(JSON.stringify(openApiDocument(service, { url: "http://127.0.0.1:1" })));
    const { valid, errors } = await new Validator().validate(document);
    assert.ok(valid, JSON.stringify(errors));
  });
}

for (const service of [contract, directoryContract, gatewayContract, panelContract, railContract])
  test(`the OpenAPI document of ${service.name} requires a body exactly where a request without one is rejected`, () => {
    const { paths } = JSON.parse(JSON.stringify(openApiDocument(service, { url: "http://127.0.0.1:1" })));
    for (const endpoint of service.endpoints) {
      const { requestBody } = paths[endpoint.path][endpoint.method.toLowerCase()];
      assert.equal(
        requestBody !== undefined,
        Boolean(endpoint.body ?? endpoint.rawBody ?? endpoint.streamBody),
        endpoint.id,
      );
      if (requestBody === undefined || endpoint.customValidation || endpoint.streamBody) continue;
      const { errors } = compileInput(endpoint)({ params: {}, query: {}, body: undefined });
      const isRefused = endpoint.rawBody ? endpoint.optionalBody !== true : errors.has("");
      assert.equal(requestBody.required, isRefused, endpoint.id);
    }
  });

test("an optional credential is optional in the OpenAPI document", () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument(gatewayContract, { url: "http://127.0.0.1:1" })));
  assert.deepEqual(paths["/v1/models"].get.security, [{ visitor_header: [] }, { visitor_bearer: [] }, {}]);
  assert.deepEqual(paths["/v1/route"].post.security, [{ header_header: [] }]);
});

test("describes both formats of a shared status, and a 402 with its payment headers", () => {
  const { paths, components } = JSON.parse(
    JSON.stringify(openApiDocument(gatewayContract, { url: "http://127.0.0.1:1" })),
  );
  const { responses } = paths["/v1/decisions"].post;
  assert.deepEqual(Object.keys(responses["422"].content), ["application/json", "application/problem+json"]);
  assert.match(responses["422"].description, /validation_failed.*idempotency_key_reused/);
  // A problem without another format is a shared response of the document.
  const name = String(responses["402"].$ref).replace("#/components/responses/", "");
  assert.deepEqual(Object.keys(components.responses[name].headers), ["Link", "PAYMENT-REQUIRED", "WWW-Authenticate"]);
});

test("every problem of the catalog has a page, and other codes have none", async () => {
  await using fixture = await createFixture();
  for (const [code, { title }] of Object.entries(problems)) {
    const answer = await fixture.server.fastify.inject(`/problems/${code}`);
    assert.equal(answer.statusCode, 200);
    assert.match(answer.body, new RegExp(title.replaceAll(/[^\w ]/g, ".+")));
    assert.match(String(answer.headers["content-security-policy"]), /default-src 'none'/);
  }
  assert.equal((await fixture.server.fastify.inject("/problems/toString")).statusCode, 404);
});

test("pages are isolated from other origins and cannot create HTML from text; API responses are not restricted", async () => {
  await using fixture = await createFixture();
  for (const path of ["/docs", "/problems/not_found"]) {
    const { headers } = await fixture.server.fastify.inject(path);
    assert.equal(headers["cross-origin-opener-policy"], "same-origin", path);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin", path);
    assert.equal(headers["permissions-policy"], "camera=(), geolocation=(), microphone=()", path);
    assert.match(String(headers["content-security-policy"]), /require-trusted-types-for 'script'/, path);
  }
  const { headers } = await fixture.server.fastify.inject("/openapi.json");
  assert.equal(headers["cross-origin-resource-policy"], undefined);
});

test("sends HSTS only for a public https URL", async () => {
  await using secure = await createFixture({ publicUrl: "https://api.example.org" });
  for (const path of ["/docs", "/livez", "/nowhere"]) {
    const { headers } = await secure.server.fastify.inject(path);
    assert.equal(headers["strict-transport-security"], "max-age=31536000", path);
  }
  await using plain = await createFixture();
  assert.equal((await plain.server.fastify.inject("/docs")).headers["strict-transport-security"], undefined);
});

test("llms.txt lists every endpoint and credential", async () => {
  await using fixture = await createFixture();
  const { body } = await fixture.server.fastify.inject("/llms.txt");
  for (const endpoint of contract.endpoints) assert.ok(body.includes(endpoint.path));
  assert.ok(body.includes("X-API-Key"));
  assert.match(body, /- color.* \(red, green, blue\)/, "llms.txt lists the values of closed lists");
});
