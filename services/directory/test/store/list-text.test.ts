/** Lists and columns encoded as text decode to the same values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  ENTRY_MOST,
  maxInto,
  readColumnNumber,
  readIds,
  readPostings,
  writeColumnNumber,
  writeEntries,
} from "../../src/store/postgres-catalogue/posting-codec.ts";

const RUNS = { seed: 5, numRuns: 300 };
const lists = fc
  .uniqueArray(fc.oneof(fc.nat(300), fc.nat(0x7fff_ffff)), { maxLength: 60 })
  .map((ids) => Uint32Array.from(ids).sort());

/** Written in two parts, like a long list. */
function written(ids: Uint32Array, impacts: Uint8Array | null): Uint8Array {
  const text = new Uint8Array(ids.length * ENTRY_MOST);
  const middle = ids.length >> 1;
  const first = writeEntries(text, {
    ids: ids.subarray(0, middle),
    impacts: impacts?.subarray(0, middle) ?? null,
    before: -1,
  });
  const before = middle === 0 ? -1 : ids[middle - 1];
  const rest = { ids: ids.subarray(middle), impacts: impacts?.subarray(middle) ?? null, before };
  return text.subarray(0, first + writeEntries(text.subarray(first), rest));
}

test("decodes a list of any ids and impacts, encoded in characters valid in text", () => {
  fc.assert(
    fc.property(lists, fc.infiniteStream(fc.integer({ min: 1, max: 255 })), (ids, stream) => {
      const impacts = Uint8Array.from(stream.take(ids.length));
      const text = written(ids, impacts);
      assert.deepEqual(readPostings(text, ids.length), { ids, impacts });
      assert.ok(text.every((character) => character >= 1 && character <= 127));
      assert.deepEqual(readIds(written(ids, null), ids.length), ids);
    }),
    RUNS,
  );
});

test("raises a column to the greater impacts of a list, and nowhere else", () => {
  const column = Uint8Array.of(0, 9, 0, 200, 7);
  maxInto(column, written(Uint32Array.of(1, 2, 3), Uint8Array.of(255, 64, 63)));
  assert.deepEqual(column, Uint8Array.of(0, 255, 64, 200, 7));
});

test("decodes a column's number, encoded in characters valid in text", () => {
  const cases = fc.integer({ min: 1, max: 5 }).chain((width) => fc.tuple(fc.constant(width), fc.nat(127 ** width - 1)));
  fc.assert(
    fc.property(cases, ([width, number]) => {
      const text = new Uint8Array(width + 2);
      writeColumnNumber(text, 1, width, number);
      assert.equal(readColumnNumber(text, 1, width), number);
      assert.ok(text.subarray(1, 1 + width).every((character) => character >= 1 && character <= 127));
    }),
    RUNS,
  );
});
