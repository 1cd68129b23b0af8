/** The responses that the documentation shows for the sample. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { missingPart, readCurl, transcriptsIn } from "@triptych/server/testing/transcripts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

const DOCS = new URL("../../../../docs/", import.meta.url);
/** Sections whose commands need no other data than the sample. */
const SECTIONS = {
  "directory.md": ["Quick start", "Suggestions", "Languages"],
  "first-ten-minutes.md": ["Run a query"],
};

function sectionOf(document: string, title: string): string {
  const [, text = ""] = document.split(`\n## ${title}\n`);
  return text.split(/^## /m)[0];
}

describe("the documentation", () => {
  let fixture: Fixture;
  before(async () => (fixture = await createFixture()));
  after(() => fixture[Symbol.asyncDispose]());

  for (const [file, sections] of Object.entries(SECTIONS)) {
    test(`${file} shows responses of the sample`, async () => {
      const document = await readFile(new URL(file, DOCS), "utf8");
      for (const section of sections) {
        const transcripts = transcriptsIn(sectionOf(document, section)).filter(({ command }) =>
          command.startsWith("curl"),
        );
        assert.ok(transcripts.length > 0, section);
        for (const { command, output } of transcripts) {
          const { path, headers } = readCurl(command, { KEY: fixture.discovery, PRO: fixture.pro });
          const { body } = await fixture.ask(path, { headers });
          const actual = body.replaceAll("http://directory.test", "http://127.0.0.1:7002");
          assert.equal(missingPart(output, actual), null, `${command}\n${actual}`);
        }
      }
    });
  }
});
