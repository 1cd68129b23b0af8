/**
 * The wire of the previous minor version against the present contracts: old requests are accepted, old members of responses
 * are there; frames between panel and worker are understood in both directions. `npm run record:wire` records a version.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { panelFrames, workerFrames } from "@triptych/contracts";
import { misunderstandings, type Mode, type Schema } from "./support/wire-compatibility.ts";
import { brokenBy, type Document } from "./support/wire-documents.ts";

const PREVIOUS = new URL("wire/0.1/", import.meta.url);
const read = (url: URL) => JSON.parse(readFileSync(url, "utf8"));
const committed = (service: string): Document => read(new URL(`../openapi/${service}.json`, import.meta.url));

type Frames = Readonly<Record<string, Schema>>;
const PRESENT: Readonly<Record<"worker" | "panel", Frames>> = {
  worker: JSON.parse(JSON.stringify(workerFrames)),
  panel: JSON.parse(JSON.stringify(panelFrames)),
};
const RECORDED: typeof PRESENT = read(new URL("frames.json", PREVIOUS));

/** Differences that no client of 0.1 notices, or that are documented. */
const KNOWN: Readonly<Record<string, readonly RegExp[]>> = {
  panel: [
    // 0.1 described bodies of bytes as JSON, and required bodies as optional.
    /^POST \/api\/worker\/runs\/\{id\}\/git\/git-upload-pack application\/json: gone$/,
    /^PUT \/api\/worker\/runs\/\{id\}\/(?:bundle|artifacts\/\{sha256\}) body: now required$/,
  ],
  // Operations were free texts. A gateway of 0.1 sends those of the enumeration.
  rail: [/^POST \/internal\/v1\/charges(?:\/delivered)? body\/(?:charges\/\[\]\/)?op: any value is refused$/],
};

for (const file of globSync("*.openapi.json", { cwd: PREVIOUS })) {
  const service = basename(file, ".openapi.json");
  test(`${service}: a client of 0.1 works with this version`, () => {
    const found = brokenBy(read(new URL(file, PREVIOUS)), committed(service));
    const known = KNOWN[service] ?? [];
    assert.deepEqual(
      found.filter((issue) => !known.some((pattern) => pattern.test(issue))),
      [],
    );
    for (const pattern of known)
      assert.ok(
        found.some((issue) => pattern.test(issue)),
        String(pattern),
      );
  });
}

const resolve = () => ({});

function frameIssues(writer: Frames, reader: Frames, mode: Mode): readonly string[] {
  // A reader ignores types that it does not know.
  return Object.keys(writer)
    .filter((type) => reader[type] !== undefined)
    .flatMap((type) =>
      misunderstandings({ schema: writer[type], resolve }, { schema: reader[type], resolve }, mode, type),
    );
}

describe("frames between panel and worker", () => {
  for (const sender of ["worker", "panel"] as const) {
    test(`this version understands a ${sender} of 0.1`, () => {
      assert.deepEqual(frameIssues(RECORDED[sender], PRESENT[sender], "strict"), []);
    });

    test(`0.1 understands a ${sender} of this version`, () => {
      assert.deepEqual(frameIssues(PRESENT[sender], RECORDED[sender], "loose"), []);
    });
  }
});

describe("the comparison", () => {
  /** The recorded panel with a change. */
  function changed(change: (text: string) => string): readonly string[] {
    const text = JSON.stringify(committed("panel"));
    const after = change(text);
    assert.notEqual(after, text);
    return brokenBy(JSON.parse(text), JSON.parse(after));
  }

  test("finds a removed path", () => {
    assert.match(
      changed((text) => text.replace('"/api/runs/{id}/cancel"', '"/api/runs/{id}/stop"')).join(),
      /cancel: gone/,
    );
  });

  test("finds a member of a response that is gone or has another type", () => {
    const renamed = changed((text) => text.replaceAll('"license_key"', '"licence_key"'));
    assert.match(renamed.join(), /GET \/api\/account\/license 200\/license_key: required, and not always sent/);
    const retyped = changed((text) =>
      text.replaceAll('"license_key":{"type":"string"', '"license_key":{"type":"integer"'),
    );
    assert.match(retyped.join(), /integer instead of string/);
  });

  test("finds a request that is accepted no longer", () => {
    const longest = /("focus":\{[^{}]*"maxLength":)\d+/g;
    assert.match(changed((text) => text.replaceAll(longest, "$15")).join(), /focus: maxLength \d+ is now 5/);
  });

  test("finds a frame with a new required member", () => {
    const hello = PRESENT.worker["hello"];
    const stricter = { hello: { ...hello, required: [...(hello.required ?? []), "process"] } };
    assert.deepEqual(frameIssues(RECORDED.worker, stricter, "strict"), [
      "hello/process: required, and not always sent",
    ]);
  });
});
