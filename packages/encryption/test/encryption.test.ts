import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createSeal, deriveKey, DecryptionError } from "../src/index.ts";

const key = deriveKey("a secret of the installation", "tests");
const seal = createSeal(key, randomBytes);
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

test("opens sealed values of any length, and never produces the same sealed text twice", () => {
  for (const plain of ["", "a", "mail@example.test", "é".repeat(5000)]) {
    assert.equal(seal.open(seal.seal(plain, "row 1"), "row 1").toString(), plain);
    assert.notEqual(seal.seal(plain, "row 1"), seal.seal(plain, "row 1"));
  }
});

test("opens only with the same context, secret and purpose", () => {
  const sealed = seal.seal("mail@example.test", "row 1");
  assert.match(sealed, /^v1\.[\w-]{16}\.[\w-]+$/);
  assert.throws(() => seal.open(sealed, "row 2"), DecryptionError);
  assert.throws(
    () => createSeal(deriveKey("another secret", "tests"), randomBytes).open(sealed, "row 1"),
    DecryptionError,
  );
  const otherPurpose = deriveKey("a secret of the installation", "other tests");
  assert.throws(() => createSeal(otherPurpose, randomBytes).open(sealed, "row 1"), DecryptionError);
});

test("rejects modified, truncated and unrelated text", () => {
  const sealed = seal.seal("mail@example.test", "row 1");
  const [version, nonce = "", rest = ""] = sealed.split(".");
  const flipped = Buffer.from(rest, "base64url");
  for (let bit = 0; bit < flipped.length * 8; bit++) {
    flipped[bit >> 3] ^= 1 << (bit & 7);
    assert.throws(() => seal.open(`${version}.${nonce}.${flipped.toString("base64url")}`, "row 1"), DecryptionError);
    flipped[bit >> 3] ^= 1 << (bit & 7);
  }
  const broken = [
    "",
    "v1",
    "v1..",
    `v2.${nonce}.${rest}`,
    `v1.${nonce}.${rest.slice(0, 8)}`,
    `v1..${rest}`,
    `${sealed}.`,
  ];
  for (const text of broken) assert.throws(() => seal.open(text, "row 1"), DecryptionError, text);
  assert.throws(() => seal.open("", "row 1"), /Set TRIPTYCH_SECRET/);
});

test("rejects non-canonical encodings", () => {
  for (const plain of ["a", "ab", "abc"]) {
    const sealed = seal.seal(plain, "row 1");
    for (const more of ["A", "=", "!", "\n", " ", "AA"]) {
      assert.throws(() => seal.open(sealed + more, "row 1"), DecryptionError, JSON.stringify(more));
      assert.throws(
        () => seal.open(sealed.replace(/\.(?=[^.]+$)/, `${more}.`), "row 1"),
        DecryptionError,
        JSON.stringify(more),
      );
    }
    const spellings = Array.from(BASE64URL, (last) => sealed.slice(0, -1) + last).filter((other) => other !== sealed);
    for (const spelling of spellings) assert.throws(() => seal.open(spelling, "row 1"), DecryptionError);
  }
});
