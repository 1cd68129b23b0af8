import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { driftedDocuments } from "../apps/triptych/src/openapi.ts";

interface Media {
  readonly schema?: object;
}
interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly info: { readonly contact?: object; readonly license?: object };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  directory: ["Item", "ItemsPage", "Meta", "Usage", "ItemFeature", "ItemJsonLd"],
  gateway: ["RouteDecision", "Head", "Expert"],
  panel: ["Repo", "Run", "Candidate", "Worker", "Memory", "Schedule", "Fire", "Account", "BusMessage"],
  rail: ["Wallet", "Charge", "Entry", "Receipt", "Topup", "Statement"],
  router: ["RouteDecision", "Head", "Expert"],
};

test("the committed OpenAPI documents match the contracts", async () => {
  assert.deepEqual(await driftedDocuments(), []);
});

for (const [service, resources] of Object.entries(RESOURCES))
  describe(`the OpenAPI document of ${service}`, async () => {
    const text = await readFile(new URL(`../openapi/${service}.json`, import.meta.url), "utf8");
    const document: Document = JSON.parse(text);
    /** Without the examples, whose members may have any name. */
    const described = JSON.stringify(document, (key, value: unknown) => (key === "example" ? undefined : value));
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

    test("names every resource, and defines it once", () => {
      const { schemas } = document.components;
      for (const name of resources) assert.ok(name in schemas, name);
      assert.doesNotMatch(described.replace(/^.*?"servers"/, ""), /"title":"[A-Z]\w+"/);
    });

    test("describes every operation and gives it one tag of the list", () => {
      const names = document.tags.map(({ name }) => name);
      for (const { operationId, description, tags = [] } of operations) {
        assert.ok((description ?? "").length > 20, operationId);
        assert.equal(tags.filter((tag) => names.includes(tag)).length, 1, operationId);
      }
      for (const name of names)
        assert.ok(
          operations.some(({ tags }) => tags?.includes(name)),
          name,
        );
    });

    test("has a schema for every media type", () => {
      for (const { operationId, responses } of operations)
        for (const { content = {} } of Object.values(responses))
          for (const [media, { schema }] of Object.entries(content))
            assert.ok(Object.keys(schema ?? {}).length > 0, `${operationId} ${media}`);
    });

    test("has a type beside every enumeration and constant", () => {
      assert.doesNotMatch(described, /\{"(enum|const)":/);
    });
  });

test("rotating the license needs no body", async () => {
  const text = await readFile(new URL("../openapi/panel.json", import.meta.url), "utf8");
  const { paths }: Document = JSON.parse(text);
  assert.equal(paths["/api/account/license"]?.["post"]?.requestBody?.required, false);
});
