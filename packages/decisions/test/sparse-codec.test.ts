import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createBitReader, createBitWriter, riceBitsFor } from "../src/artifact/bit-packing.ts";
import {
  decodeSparse,
  encodedBytes,
  encodeSparse,
  packSparse,
  roundedWeight,
  roundingOf,
} from "../src/head/sparse-codec.ts";
import { xorshift } from "../src/math/xorshift.ts";

test("numbers are read as written, and the padding is ignored", () => {
  const number = fc.record({
    limit: fc.integer({ min: 1, max: 300 }),
    low: fc.integer({ min: 0, max: 12 }),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(number, { maxLength: 60 }), (numbers) => {
      const writer = createBitWriter();
      for (const { limit, low, at } of numbers) {
        writer.below(at % limit, limit);
        writer.rice(at % 5000, low);
        writer.fixed(at % 8, 3);
      }
      const reader = createBitReader(writer.finish());
      for (const { limit, low, at } of numbers)
        assert.deepEqual([reader.below(limit), reader.rice(low), reader.fixed(3)], [at % limit, at % 5000, at % 8]);
      assert.ok(reader.isAtEnd());
      assert.equal(reader.fixed(8), null);
    }),
  );
});

test("small numbers have few lower bits, and large numbers about as many as their logarithm", () => {
  assert.deepEqual([0, 0.5, 1, 10, 1000].map(riceBitsFor), [0, 0, 0, 2, 9]);
});

/** Large weights are rare, as after a training. */
function learned(classes: number, features: number) {
  const random = xorshift(7);
  const ids = Uint32Array.from({ length: features }, (_, index) =>
    Math.floor(((index + random()) * 2 ** 20) / features),
  );
  const weights = Float32Array.from({ length: features * classes }, () =>
    random() < 0.2 ? (random() - 0.5) * random() ** 2 : 0,
  );
  return { ids, weights };
}

for (const classes of [1, 2, 14, 77, 255])
  test(`restores every weight of the sparse part of ${classes} routes`, () => {
    const plus = packSparse(learned(classes, 900), classes);
    const bytes = encodeSparse(plus, classes);
    assert.equal(encodedBytes(plus, classes), bytes.length);
    const { indexOf, ...entries } = plus;
    const again = decodeSparse(bytes, classes);
    assert.ok(again !== null);
    const { indexOf: indexOfAgain, ...entriesAgain } = again;
    assert.deepEqual(entriesAgain, entries);
    assert.equal(indexOfAgain(plus.ids[3]), indexOf(plus.ids[3]));
  });

test("the largest weights that fit are kept", () => {
  const taught = learned(30, 6000);
  const plus = packSparse(taught, 30);
  const { length } = encodeSparse(plus, 30);
  assert.ok(length <= 24 * 1024 && length > 0.97 * 24 * 1024, `${length} bytes`);
  assert.ok(plus.weights.length > 12_000, `${plus.weights.length} weights`);
  const lightest = Math.min(...plus.weights.map(Math.abs)) * plus.scale;
  const heavier = taught.weights.filter((weight) => Math.abs(weight) > lightest + plus.scale);
  assert.ok(heavier.length <= plus.weights.length);
});

test("rounds each weight as a file stores it", () => {
  const taught = learned(30, 6000);
  const plus = packSparse(taught, 30);
  const rounding = roundingOf(plus, taught, 30);
  const stored = new Float64Array(taught.weights.length);
  for (const [index, id] of taught.ids.entries()) {
    const feature = plus.indexOf(id);
    if (feature === undefined) continue;
    for (let entry = plus.starts[feature]; entry < plus.starts[feature + 1]; entry++)
      stored[index * 30 + plus.routes[entry]] = plus.weights[entry] * plus.scale;
  }
  const differs = Array.from(taught.weights).filter((weight, at) => roundedWeight(weight, rounding) !== stored[at]);
  // If several weights equal the smallest one, the file may have kept only some of them.
  assert.ok(differs.every((weight) => Math.abs(weight) === rounding.floor));
  assert.equal(roundedWeight(0, roundingOf(packSparse(taught, 30, 20), taught, 30)), 0);
});

test("among equal weights, the first one is kept", () => {
  const equal = { ids: Uint32Array.of(4, 9, 12), weights: Float32Array.of(1, -1, 1, 1, 0, 2) };
  const { ids, routes, weights } = packSparse(equal, 2, 16);
  assert.deepEqual(
    [[...ids], [...routes], [...weights]],
    [
      [4, 12],
      [0, 1, 1],
      [4, -4, 8],
    ],
  );
});

test("rejects truncated bytes, other routes, or trailing data", () => {
  const bytes = encodeSparse(packSparse(learned(14, 300), 14), 14);
  for (let length = 0; length < bytes.length; length++) assert.equal(decodeSparse(bytes.subarray(0, length), 14), null);
  assert.equal(decodeSparse(Buffer.concat([bytes, Buffer.alloc(1)]), 14), null);
  assert.equal(decodeSparse(bytes, 2), null);
  const many = Buffer.from(bytes);
  many.writeUInt32LE(0xffffffff, 4);
  assert.equal(decodeSparse(many, 14), null);
});

test("an empty model is an empty part", () => {
  const bytes = encodeSparse(packSparse({ ids: new Uint32Array(0), weights: new Float32Array(0) }, 3), 3);
  assert.equal(decodeSparse(bytes, 3)?.weights.length, 0);
});
