import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { ArtifactError, loadHead, loadTrunk, trainHead } from "../src/index.ts";
import { writeArtifact } from "../src/artifact/container.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { examples, smallTrunk, TOPICS, trainSmallTrunk } from "./support/small-trunk.ts";

const trunkBytes = trainSmallTrunk();
const trunk = loadTrunk(trunkBytes);
const headBytes = trainHead(trunk, {
  name: "topics",
  routes: Object.keys(TOPICS).map((route) => ({ route })),
  examples: examples(),
}).bytes;

test("training the trunk twice gives the same bytes", () => {
  assert.deepEqual(trainSmallTrunk(), trunkBytes);
  assert.equal(trunk.sha256, createHash("sha256").update(trunkBytes).digest("hex"));
});

test("rejects every truncation of a head with a code", () => {
  for (let length = 0; length < headBytes.length; length++)
    assert.throws(() => loadHead(headBytes.subarray(0, length), trunk), isArtifactError);
});

test("rejects a thousand flipped bits with a code, in a head and in a trunk", () => {
  const random = xorshift(9);
  for (let round = 0; round < 1000; round++) {
    const original = round % 10 === 0 ? trunkBytes : headBytes;
    const flipped = Uint8Array.from(original);
    flipped[Math.floor(random() * flipped.length)] ^= 1 << Math.floor(random() * 8);
    assert.throws(() => (round % 10 === 0 ? loadTrunk(flipped) : loadHead(flipped, trunk)), isArtifactError);
  }
});

test("rejects a file of another kind, a newer format, or another trunk by name", () => {
  assert.throws(() => loadHead(trunkBytes, trunk), withCode("wrong_kind"));
  assert.throws(
    () => loadTrunk(Buffer.from("not a file of ours, but long enough to be read as one")),
    withCode("not_an_artifact"),
  );
  const newer = Buffer.from(headBytes);
  newer.writeUInt16LE(4, 4);
  assert.throws(() => loadHead(newer, trunk), withCode("newer_version"));
  assert.throws(() => loadHead(headBytes, { ...smallTrunk(), sha256: "0".repeat(64) }), withCode("trunk_mismatch"));
});

test("rejects a valid file with a mismatched header or sections", () => {
  const header = { kind: "trunk", rows: 8, dims: 4, pieceWeight: 1, pairWeight: 1, contextWeight: 1 };
  const sections = new Map([
    [1, new Uint8Array(32)],
    [2, new Uint8Array(31)],
    [3, new Uint8Array(0)],
  ]);
  assert.throws(() => loadTrunk(writeArtifact({ magic: "TPTK", header, sections })), withCode("bad_length"));
  assert.throws(
    () => loadTrunk(writeArtifact({ magic: "TPTK", header: { kind: "trunk" }, sections })),
    withCode("bad_header"),
  );
});

function isArtifactError(error: unknown): boolean {
  return error instanceof ArtifactError && error.code.length > 0;
}

function withCode(code: ArtifactError["code"]) {
  return (error: unknown) => error instanceof ArtifactError && error.code === code;
}
