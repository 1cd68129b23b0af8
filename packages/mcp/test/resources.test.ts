import assert from "node:assert/strict";
import { test } from "node:test";
import { connectInMemory, environmentOf, startFakeService } from "./support/fixture.ts";

const DIFF = "--- a/sum.js\n+++ b/sum.js\n@@ -1 +1 @@\n-a\n+b\n";

test("lists the resources of the API as templates", async () => {
  await using connected = await connectInMemory({});
  const { resourceTemplates } = await connected.client.listResourceTemplates();
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ["directory://{type}/{slug}", "head://{id}/card", "run://{id}/diff", "run://{id}/statement"],
  );
});

test("reads a diff unchanged, between blocks that mark it as data", async () => {
  await using service = await startFakeService(({ url }) => {
    assert.equal(url, "/api/runs/run_1/diff");
    return { headers: { "Content-Type": "text/x-diff" }, body: DIFF };
  });
  await using connected = await connectInMemory(environmentOf(service.url));
  const { contents } = await connected.client.readResource({ uri: "run://run_1/diff" });
  const [before, diff, after] = contents.map((content) => ("text" in content ? content : { text: "", mimeType: "" }));
  assert.deepEqual([diff.text, diff.mimeType], [DIFF, "text/x-diff"]);
  const [, id] = /\nBEGIN (\S+)$/.exec(before.text) ?? [];
  assert.equal(after.text, `END ${id}`);
});

test("reads an item and a model card", async () => {
  await using service = await startFakeService(({ url }) =>
    url.startsWith("/v1/heads/")
      ? { headers: { "Content-Type": "text/markdown; charset=utf-8" }, body: "# Card" }
      : { body: { type: "place", slug: "rennes" } },
  );
  await using connected = await connectInMemory(environmentOf(service.url));
  for (const [uri, text] of [
    ["directory://place/rennes", '{"type":"place","slug":"rennes"}'],
    ["head://hed_1/card", "# Card"],
  ]) {
    const { contents } = await connected.client.readResource({ uri });
    assert.ok(
      contents.some((content) => "text" in content && content.text === text),
      uri,
    );
  }
});

test("reads the statement of a run", async () => {
  const envelope = { payload: "e30=", payloadType: "application/vnd.in-toto+json", signatures: [] };
  await using service = await startFakeService(({ url }) => {
    assert.equal(url, "/api/runs/run_1/statement");
    return { body: envelope };
  });
  await using connected = await connectInMemory(environmentOf(service.url));
  const { contents } = await connected.client.readResource({ uri: "run://run_1/statement" });
  assert.ok(contents.some((content) => "text" in content && content.text === JSON.stringify(envelope)));
});

test("rejects an unknown resource, and a URI that leads elsewhere", async () => {
  await using service = await startFakeService(() => ({
    status: 404,
    body: { status: 404, code: "not_found", title: "Not found", detail: "Nothing is there." },
  }));
  await using connected = await connectInMemory(environmentOf(service.url));
  await assert.rejects(connected.client.readResource({ uri: "run://run_9/diff" }), { code: -32002 });
  for (const uri of ["run://../diff", "run://run_1/secret", "file:///etc/passwd"])
    await assert.rejects(connected.client.readResource({ uri }), /No resource has the URI/, uri);
  assert.equal(service.requests.length, 1);
});
