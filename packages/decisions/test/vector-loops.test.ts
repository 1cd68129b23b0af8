/** SIMD and plain JavaScript give the same doubles, bit for bit. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { denseLogits } from "../src/head/logits.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { ARTIFACTS } from "../src/bundled-models.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";

const bytes = () => new Uint8Array(readFileSync(new URL("trunk.tptk", ARTIFACTS)));
const TEXTS = [
  "",
  "a",
  "will it rain in Paris tomorrow?",
  "je voudrais annuler ma réservation, s'il vous plaît",
  "¿qué? 天気はどうですか 😀",
  "refund my order and tell me why ".repeat(40),
];

test("encoding with and without SIMD gives the same result", (context) => {
  const withThem = loadTrunk(bytes());
  assert.ok(withThem.productsWith(new Float64Array(256), new Float64Array(1)), "this machine has them");
  const machine: { validate(source: Uint8Array): boolean } = Reflect.get(globalThis, "WebAssembly");
  context.mock.method(machine, "validate", () => false);
  const without = loadTrunk(bytes());
  assert.equal(without.productsWith(new Float64Array(256), new Float64Array(1)), null);
  for (const text of TEXTS)
    for (const before of ["", "what was said before"])
      assert.deepEqual(withThem.encode(text, before), without.encode(text, before));
  for (const text of TEXTS) {
    const words = text.split(" ").slice(0, 64);
    const sums = [withThem, without].map((trunk) => {
      const sum = Float64Array.from({ length: 256 }, (_, d) => d / 3);
      trunk.addWords(sum, words);
      return sum;
    });
    assert.deepEqual(sums[0], sums[1]);
  }
});

test("SIMD products equal those of the plain loop for every number of rows, and rows without memory are rejected", () => {
  const trunk = loadTrunk(bytes());
  const random = xorshift(7);
  const numbers = (count: number) => Float64Array.from({ length: count }, () => random() - 0.5);
  for (const classes of [1, 2, 3, 16, 77, 150]) {
    const [rows, bias, vector] = [numbers(classes * 256), numbers(classes), numbers(256)];
    assert.deepEqual(trunk.productsWith(rows, bias)?.(vector), denseLogits(rows, bias, vector));
  }
  const widest = () => trunk.productsWith(new Float64Array(255 * 256), new Float64Array(255));
  assert.deepEqual([widest(), widest(), widest()].at(-1), null);
});
