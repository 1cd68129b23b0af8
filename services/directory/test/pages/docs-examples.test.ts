import assert from "node:assert/strict";
import { test } from "node:test";
import { openService } from "./open-service.ts";

test("every example of the docs page returns 200", async () => {
  await using service = await openService();
  const page = await (await fetch(`${service.url}/docs`)).text();
  const examples = [...page.matchAll(/data-example="([^"]+)"/g)].map(([, text = ""]) => text.replaceAll("&amp;", "&"));
  assert.ok(examples.length > 25);
  for (const example of new Set(examples)) {
    const path = example.replaceAll("$DIRECTORY_KEY", service.pro);
    const answer = example.includes("$DIRECTORY_KEY") ? await fetch(service.url + path) : await service.ask(path);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${example}: ${text.slice(0, 300)}`);
  }
});
