/** Maximum size of a head, measured on the released trunk, whose vectors heads are made of. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ARTIFACTS, loadHead, loadTrunk, trainHead } from "@triptych/decisions";
import { packSparse, encodeSparse } from "../../../../packages/decisions/src/head/sparse-codec.ts";
import { seeded } from "../support/seeded.ts";

test("the dense part of 26 routes is at most 7 KiB, and each further route adds 264 bytes", () => {
  const trunk = loadTrunk(readFileSync(new URL("trunk.tptk", ARTIFACTS)));
  const sizeOf = (count: number) => {
    const routes = Array.from({ length: count }, (_, index) => ({ route: `route ${index}` }));
    const examples = routes.flatMap(({ route }, index) =>
      ["show", "need", "buy", "want", "find"].map((verb) => ({ text: `${verb} number ${index}`, route })),
    );
    const { bytes } = trainHead(trunk, { name: "sized", routes, examples, plus: false });
    return { bytes, ...loadHead(bytes, trunk).size };
  };
  const [small, large] = [sizeOf(2), sizeOf(26)];
  assert.equal(large.denseBytes, 64 + 26 * 264);
  assert.ok(large.denseBytes <= 7 * 1024);
  assert.equal(large.denseBytes - small.denseBytes, 24 * 264);
  // The rest of the file is calibration and card, without hidden weights.
  assert.ok(large.bytes.length - large.denseBytes < 24 * 1024);
});

test("the lexical part is at most 24 KiB for any training data", () => {
  const classes = 26;
  const random = seeded(3);
  const ids = Uint32Array.from({ length: 4000 }, (_, index) => index * 250 + random.below(250));
  const weights = Float32Array.from({ length: ids.length * classes }, () => random.next() - 0.5);
  const { length } = encodeSparse(packSparse({ ids, weights }, classes), classes);
  assert.ok(length <= 24 * 1024 && length > 23 * 1024, `${length} bytes`);
});
