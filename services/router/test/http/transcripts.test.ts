/** The responses that the documentation shows, on the released models. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingPart, readCurl, transcriptsIn } from "@triptych/server/testing/transcripts";
import { createReleasedFixture, type Fixture } from "../support/create-fixture.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

let fixture: Fixture;
before(async () => {
  fixture = await createReleasedFixture();
});
after(() => fixture[Symbol.asyncDispose]());

const read = (name: string) => readFile(join(ROOT, name), "utf8");

/** Replays the command on the fixture; `files` are the contents of `@name`. */
async function replay(command: string, files: Readonly<Record<string, string>>): Promise<string> {
  if (command.includes("/card')")) {
    const { data } = (await fixture.ask("/v1/heads")).json();
    return (await fixture.ask(new URL(data[0].links.card).pathname)).body;
  }
  const { path, method, headers, body, includesHead } = readCurl(command);
  const sent = body?.startsWith("@") ? files[body.slice(1)] : body;
  const res = await fixture.ask(path, { method, headers, body: sent ?? undefined });
  const head = Object.entries(res.headers).map(([name, value]) => `${name}: ${String(value)}\n`);
  return includesHead ? `HTTP/1.1 ${res.statusCode} ${res.statusMessage}\n${head.join("")}\n${res.body}` : res.body;
}

async function assertReplays(document: string, count: number, files: Readonly<Record<string, string>> = {}) {
  const transcripts = transcriptsIn(document).filter(({ command }) => command.startsWith("curl"));
  assert.equal(transcripts.length, count);
  for (const { command, output } of transcripts) {
    const actual = await replay(command, files);
    assert.equal(missingPart(output, actual), null, `${command}\n${actual}`);
  }
}

describe("the documentation", () => {
  test("docs/router.md shows decisions of the released models", async () => {
    await assertReplays(await read("docs/router.md"), 2);
  });

  test("README.md and docs/gateway.md show the same decision", async () => {
    for (const name of ["README.md", "docs/gateway.md"]) {
      const document = await read(name);
      const [, body] = /\/v1\/route .* -d '([^']+)'/.exec(document) ?? [];
      const [output = ""] = /^\{"action":.*$/m.exec(document) ?? [];
      const { body: actual } = await fixture.ask("/v1/route", { body });
      assert.equal(missingPart(output, actual), null, `${name}: ${actual}`);
    }
  });

  test("docs/router-first-head.md shows the head of its file", async () => {
    const document = await read("docs/router-first-head.md");
    const [, file = ""] = /^```json\n([\s\S]*?)^```$/m.exec(document) ?? [];
    await assertReplays(document, 6, { "bike-shop.json": file });
  });
});
