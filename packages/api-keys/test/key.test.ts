import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { hashKey, liveAndTest, generateKey, parseKey } from "../src/index.ts";

const forms = [...liveAndTest("dir"), { prefix: "pnl_", test: false }];
const bounded = { seed: 20_261_121, numRuns: 200 };
const form = fc.constantFrom(...forms);
const minted = fc
  .tuple(form, fc.uint8Array({ minLength: 26, maxLength: 26 }))
  .map(([of, bytes]) => ({ of, text: generateKey(of, () => bytes) }));

test("a key consists of its prefix, 26 random symbols and a 7-symbol checksum", () => {
  fc.assert(
    fc.property(minted, ({ of, text }) => {
      assert.match(text, /^(dir_live|dir_test|pnl)_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$/);
      assert.ok(text.startsWith(of.prefix));
    }),
    bounded,
  );
});

test("the checksum is the CRC-32 of everything before the last underscore", () => {
  const text = generateKey({ prefix: "dir_live_", test: false }, (count) => new Uint8Array(count));
  const value = text
    .slice(-7)
    .split("")
    .reduce((sum, symbol) => sum * 32 + "0123456789abcdefghjkmnpqrstvwxyz".indexOf(symbol), 0);
  assert.equal(value, crc32("dir_live_00000000000000000000000000"));
});

test("a generated key parses to its form and the hash of its text", () => {
  fc.assert(
    fc.property(minted, ({ of, text }) => {
      assert.deepEqual(parseKey(text, forms), { form: of, hash: hashKey(text) });
    }),
    bounded,
  );
});

test("rejects a key with any character changed, added or missing", () => {
  const letter = fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyz_ABZ é".split(""));
  fc.assert(
    fc.property(minted, fc.nat(50), letter, fc.constantFrom("change", "add", "drop"), ({ text }, at, other, how) => {
      const index = at % text.length;
      const rest = how === "add" ? text.slice(index) : text.slice(index + 1);
      const mistyped = text.slice(0, index) + (how === "drop" ? "" : other) + rest;
      fc.pre(mistyped !== text);
      assert.equal(parseKey(mistyped, forms), undefined);
    }),
    { ...bounded, numRuns: 2000 },
  );
});

test("rejects arbitrary text without an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 80 }), (text) => {
      assert.equal(parseKey(text, forms), undefined);
    }),
    bounded,
  );
});

test("rejects a key of another service", () => {
  assert.equal(parseKey(generateKey({ prefix: "lic_", test: false }, randomBytes), forms), undefined);
});

test("two keys from a real random source differ", () => {
  const of = { prefix: "pnl_", test: false };
  assert.notEqual(generateKey(of, randomBytes), generateKey(of, randomBytes));
});
