/** Compares the parser with an independent model of section 11: a table of values, composed into requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readRotateLicenseInput } from "../../src/domain/license-request.ts";

const YES = ["1", "true", "t", "yes", "y", "on"];
const NO = [
  "0",
  "-1",
  "2",
  "1.0",
  "1e0",
  "false",
  "f",
  "off",
  "no",
  "n",
  "enabled",
  "null",
  "",
  "truee",
  "ye",
  "01",
  "tru e",
];
const SPACES = ["", " ", "\t", "\n ", "\u00a0", "\u2003", "\ufeff"];

const inAnyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((up) => text.replaceAll(/./g, (letter, at: number) => (up[at] ? letter.toUpperCase() : letter)));
const value = fc.oneof(
  fc.constantFrom(...YES).chain((yes) => inAnyCase(yes).map((text) => ({ text, means: true }))),
  fc.constantFrom(...NO).map((text) => ({ text, means: false })),
);
const space = fc.constantFrom(...SPACES);

/** Query values are not trimmed. */
const inQuery = fc.tuple(space, value, space).map(([before, { text, means }, after]) => ({
  text: before + text + after,
  means: means && before + after === "",
}));

/** JSON text of a body value, with its meaning. */
const inBody = fc.oneof(
  fc.tuple(space, value, space).map(([before, { text, means }, after]) => ({
    json: JSON.stringify(before + text + after),
    means,
  })),
  fc.constantFrom("true", "1", "1.0", "1e0", "10e-1", "0.1e1", "100E-2").map((json) => ({ json, means: true })),
  fc
    .constantFrom("false", "0", "-1", "2", "1.5", "null", "[]", "[true]", "{}", '{"notify_workers":true}', '["1"]')
    .map((json) => ({ json, means: false })),
);

type Reading = boolean | "refused";
interface Body {
  readonly bytes: Uint8Array;
  readonly means: Reading;
}

const text = (json: string, means: Reading): Body => ({ bytes: Buffer.from(json), means });
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const body: fc.Arbitrary<Body> = fc.oneof(
  { weight: 5, arbitrary: inBody.map(({ json, means }) => text(`{"other":0,"notify_workers":${json}}`, means)) },
  // The last of two counts.
  fc
    .tuple(inBody, inBody)
    .map(([first, last]) => text(`{"notify_workers":${first.json}, "notify_workers":${last.json}}`, last.means)),
  // JSON whitespace after a byte order mark.
  inBody.map(({ json, means }) => text(`\ufeff \r\n{ "notify_workers" : ${json} }\t`, means)),
  // Not an object, so the member is absent.
  inBody.map(({ json }) => text(json === '{"notify_workers":true}' ? "[]" : json, false)),
  fc
    .constantFrom("{}", '{"Notify_Workers":true}', '{"notify_workers ":1}', '{"a":{"notify_workers":1}}')
    .map((json) => text(json, false)),
  fc.array(space, { maxLength: 5 }).map((spaces) => text(spaces.join(""), false)),
  fc
    .constantFrom(
      "{",
      "notify_workers=1",
      '{"notify_workers":yes}',
      "{'notify_workers':1}",
      "true true",
      "nul",
      '{"a":1,}',
      "\u00a0{}",
      "+1",
    )
    .map((broken) => text(broken, "refused")),
  fc
    .constantFrom([0xff], [0xc3, 0x28], [0x7b, 0x7d, 0xed, 0xa0, 0x80])
    .map((bytes) => ({ bytes: Buffer.from(bytes), means: "refused" as const })),
  fc.integer({ min: 33, max: 3_000 }).map((levels) => text(nested(levels), "refused")),
  fc.integer({ min: 1, max: 32 }).map((levels) => text(nested(levels), false)),
  fc.constant(text(`{"notify_workers":true,"deep":${nested(31)}}`, true)),
  fc.constant(text(`{"notify_workers":true,"deep":${nested(32)}}`, "refused")),
);

function reading({
  queryValues,
  bytes,
}: {
  readonly queryValues: readonly string[];
  readonly bytes: Uint8Array;
}): Reading {
  const input = readRotateLicenseInput({ queryValues, body: bytes });
  return input.kind === "rotate" ? input.notifyWorkers : "refused";
}

test("parses 3,000 generated requests as specified", () => {
  const request = fc.tuple(
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(inQuery, { minLength: 1, maxLength: 3 })),
    body,
  );
  const seen = new Map<Reading, number>();
  fc.assert(
    fc.property(request, ([query, { bytes, means }]) => {
      const first = query[0];
      // The query wins; then the body may be anything.
      const expected = first === undefined ? means : first.means;
      const read = reading({ queryValues: query.map((entry) => entry.text), bytes });
      assert.equal(read, expected);
      seen.set(read, (seen.get(read) ?? 0) + 1);
    }),
    { numRuns: 3_000, seed: 11 },
  );
  // Ensures that the generator covers all three results.
  for (const answer of [true, false, "refused"] as const) assert.ok((seen.get(answer) ?? 0) > 300, String(answer));
});

test("parses the special rows of section 11", () => {
  const readFrom = (query: string[], sent: string) => reading({ queryValues: query, bytes: Buffer.from(sent) });
  assert.equal(readFrom(["0"], '{"notify_workers":true}'), false);
  assert.equal(readFrom(["1"], "{broken"), true);
  assert.equal(readFrom(["off", "on"], ""), false);
  assert.equal(readFrom([""], '{"notify_workers":true}'), false);
  assert.equal(readFrom([" true"], ""), false);
  assert.equal(readFrom([], '{"notify_workers":" true "}'), true);
  assert.equal(readFrom([], "\ufeff"), false);
});
