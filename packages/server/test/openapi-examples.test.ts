import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import {
  directoryContract,
  gatewayContract,
  panelContract,
  railContract,
  routingEndpoints,
  type Endpoint,
} from "@triptych/contracts";
import { Value } from "typebox/value";
import { readExamples } from "../src/openapi-examples.ts";

const SERVICES: Readonly<Record<string, readonly Endpoint[]>> = {
  directory: directoryContract.endpoints,
  gateway: gatewayContract.endpoints,
  panel: panelContract.endpoints,
  rail: railContract.endpoints,
  router: routingEndpoints,
};

/** Responses that are not text, and the upgrade to a WebSocket. */
const WITHOUT_TEXT = new Set([
  "connectWorker",
  "fetchCheckPack",
  "fetchGitPack",
  "getHeadArtifact",
  "listCheckRefs",
  "listGitRefs",
]);

for (const [service, endpoints] of Object.entries(SERVICES))
  describe(`the examples of ${service}`, () => {
    const examples = readExamples(service);

    test("contain a response of every operation that has one", () => {
      for (const { id, answers } of endpoints) {
        const hasText = [200, 201, 202].some((status) => answers[status]?.schema) && !WITHOUT_TEXT.has(id);
        assert.equal(examples[id]?.content !== undefined, hasText, id);
      }
      const ids = endpoints.map(({ id }) => id);
      for (const id of Object.keys(examples)) assert.ok(ids.includes(id), `${id} is not an operation`);
    });

    test("are valid according to the schemas of the contract", () => {
      for (const { id, body, answers } of endpoints) {
        const example = examples[id];
        if (example === undefined) continue;
        const { request, status, content = {} } = example;
        if (request !== undefined && body !== undefined) assert.ok(Value.Check(body, request), `${id}: request`);
        const { media = ["application/json"], schema, schemas } = answers[status] ?? {};
        for (const [type, value] of Object.entries(content)) {
          assert.ok(media.includes(type), `${id}: ${type}`);
          const expected = type === media[0] ? schema : schemas?.[type];
          assert.ok(expected === undefined || Value.Check(expected, value), `${id}: ${type}`);
        }
      }
    });

    test("contain no secrets and no local paths", async () => {
      const text = await readFile(new URL(`../examples/${service}.json`, import.meta.url), "utf8");
      assert.doesNotMatch(text, /\b(?:lic|pnl|rt|ct|rail|whsec|sk)_(?:\w+_)?[A-Za-z0-9-]{12,}/);
      assert.doesNotMatch(text, /\/tmp\/|\/work\/|127\.0\.0\.1:(?!700\d)/);
    });
  });

test("a service without captured examples has none", () => {
  assert.deepEqual(readExamples("unknown"), {});
});
