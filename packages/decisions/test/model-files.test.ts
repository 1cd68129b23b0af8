import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../src/artifact/header-values.ts";
import { readArtifact, writeArtifact, type Magic } from "../src/artifact/container.ts";
import {
  ArtifactError,
  openDomain,
  loadHead,
  openNoul,
  openOptionsScorer,
  openScore,
  trainHead,
} from "../src/index.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { trainOptions } from "../src/options/train-options.ts";
import { fitNoul, fitScore, trainDomain, writeNoul, writeScore } from "../src/features/train-features.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import { choiceRows } from "./support/choices.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

interface Model {
  readonly magic: Magic;
  readonly bytes: Uint8Array;
  readonly open: (bytes: Uint8Array, trunk: Trunk) => unknown;
}

const trunk = smallTrunk();
const rows = examples().map(({ text, route }, index) => ({
  state: text,
  encoding: trunk.encode(text),
  confidence: 0.9,
  margin: 0.8,
  scope: null,
  escalate: route === "refund",
  complexity: 1 + (index % 4),
}));
const routes = Object.keys(TOPICS).map((route) => ({ route }));
const models: Readonly<Record<string, Model>> = {
  head: {
    magic: "TPHD",
    open: loadHead,
    bytes: trainHead(trunk, { name: "topics", routes, examples: examples() }).bytes,
  },
  options: { magic: "TPOS", open: openOptionsScorer, bytes: trainOptions(trunk, { rows: choiceRows() }).bytes },
  noul: { magic: "TPAX", open: openNoul, bytes: writeNoul(trunk, fitNoul(trunk, rows), {}) },
  score: { magic: "TPAX", open: openScore, bytes: writeScore(trunk, fitScore(trunk, rows), {}) },
  domain: { magic: "TPAX", open: openDomain, bytes: trainDomain(trunk, examples()).bytes },
};

for (const [name, { magic, bytes, open }] of Object.entries(models)) {
  test(`rejects every truncation and a thousand flipped bits of ${name} with a code`, () => {
    // Long files are cut at every byte of their beginning and end, and in between at steps coprime to section sizes.
    for (let length = 0; length < bytes.length; length += length < 2000 || length > bytes.length - 200 ? 1 : 37)
      assert.throws(() => open(bytes.subarray(0, length), trunk), isArtifactError);
    const random = xorshift(17);
    for (let round = 0; round < 1000; round++) {
      const flipped = Uint8Array.from(bytes);
      flipped[Math.floor(random() * flipped.length)] ^= 1 << Math.floor(random() * 8);
      assert.throws(() => open(flipped, trunk), isArtifactError);
    }
  });

  test(`rejects ${name} of another trunk, or a file of another kind, by name`, () => {
    assert.throws(() => open(bytes, { ...trunk, sha256: "0".repeat(64) }), withCode("trunk_mismatch"));
    const other = name === "options" ? models["noul"] : models["options"];
    assert.throws(() => open(other.bytes, trunk), withCode("wrong_kind"));
  });

  test(`rejects a complete ${name} file with an invalid or missing header value`, () => {
    const { header, sections } = readArtifact(bytes, magic);
    for (const [member, value] of Object.entries(header)) {
      if (member === "card") continue;
      for (const spoilt of spoiltValues(value)) {
        const whole = writeArtifact({ magic, header: { ...header, [member]: spoilt }, sections });
        assert.throws(() => open(whole, trunk), isArtifactError, `${member}: ${JSON.stringify(spoilt).slice(0, 200)}`);
      }
    }
    assert.throws(() => open(writeArtifact({ magic, header, sections: new Map() }), trunk), isArtifactError);
  });
}

test("the three models are not interchangeable", () => {
  assert.throws(() => openNoul(models["score"].bytes, trunk), withCode("wrong_kind"));
  assert.throws(() => openScore(models["domain"].bytes, trunk), withCode("wrong_kind"));
});

/** Wrong types for the value and, one at a time, for each of its numbers. */
function* spoiltValues(value: Json): Generator<Json> {
  yield typeof value === "object" ? 7 : null;
  if (Array.isArray(value)) {
    yield [...value, value[0] ?? null, {}];
    for (const [index, item] of value.slice(0, 3).entries())
      for (const spoilt of spoiltValues(item)) yield value.with(index, spoilt);
  } else if (typeof value === "object" && value !== null)
    for (const [member, item] of Object.entries(value))
      for (const spoilt of item === null ? ["none"] : spoiltValues(item))
        yield Object.fromEntries([...Object.entries(value), [member, spoilt]]);
}

function isArtifactError(error: unknown): boolean {
  return error instanceof ArtifactError && error.code.length > 0;
}

function withCode(code: ArtifactError["code"]) {
  return (error: unknown) => error instanceof ArtifactError && error.code === code;
}
