/** The responses that the documentation shows for the sample. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

const DOCS = new URL("../../../../docs/", import.meta.url);
/** Sections whose commands need no other data than the sample. */
const SECTIONS = {
  "directory.md": ["Quick start", "Suggestions", "Languages"],
  "first-ten-minutes.md": ["Run a query"],
};
const ADDRESS = "http://127.0.0.1:7002";
const COMMAND =
  /^\$ curl -s (?<headers>(?:-H "[^"]+" )+)"http:\/\/127\.0\.0\.1:7002(?<path>[^"]+)"\n(?<shown>(?:[^$`\n].*\n)+)/gm;

interface Transcript {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the response between ellipses. */
  readonly parts: readonly string[];
}

function transcriptsIn(document: string, section: string, keys: Readonly<Record<string, string>>): Transcript[] {
  const [, text = ""] = document.split(`\n## ${section}\n`);
  const [own] = text.split(/\n## /);
  return Array.from(own.matchAll(COMMAND), ({ groups = {} }) => ({
    path: groups["path"],
    headers: Object.fromEntries(
      Array.from(groups["headers"].matchAll(/"([^:]+): ([^"]+)"/g), ([, name, value]) => [name, keys[value] ?? value]),
    ),
    parts: groups["shown"].replaceAll("\n", "").split("…"),
  }));
}

describe("the documentation", () => {
  let fixture: Fixture;
  before(async () => (fixture = await createFixture()));
  after(() => fixture[Symbol.asyncDispose]());

  for (const [file, sections] of Object.entries(SECTIONS)) {
    test(`${file} shows responses of the sample`, async () => {
      const document = await readFile(new URL(file, DOCS), "utf8");
      for (const section of sections) {
        const transcripts = transcriptsIn(document, section, { $KEY: fixture.discovery, $PRO: fixture.pro });
        assert.ok(transcripts.length > 0, section);
        for (const { path, headers, parts } of transcripts) {
          const { body } = await fixture.ask(path, { headers });
          const answered = body.trim().replaceAll("http://directory.test", ADDRESS);
          let rest = answered;
          for (const part of parts) {
            const at = rest.indexOf(part);
            assert.ok(at >= 0, `${path} does not answer ${part}, but ${answered}`);
            rest = rest.slice(at + part.length);
          }
        }
      }
    });
  }
});
