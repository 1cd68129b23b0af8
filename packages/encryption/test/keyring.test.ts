import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createKeyring, createRotatingSeal, createSeal, DecryptionError, deriveKey, keyIdOf } from "../src/index.ts";

const [OLD, NEW] = ["the old secret of an installation", "the new secret of an installation"];
const sealWith = (...secrets: readonly [string, ...string[]]) =>
  createRotatingSeal(
    createKeyring(() => secrets),
    "tests",
    randomBytes,
  );

test("names the key in each text, and opens texts sealed with any key", () => {
  const sealed = sealWith(OLD).seal("mail@example.test", "row 1");
  assert.ok(sealed.startsWith(`v2.${keyIdOf(OLD)}.`));
  assert.match(keyIdOf(OLD), /^[0-9a-f]{10}$/);
  const both = sealWith(NEW, OLD);
  assert.equal(both.open(sealed, "row 1").toString(), "mail@example.test");
  assert.ok(both.seal("x", "row 1").startsWith(both.prefix()));
  assert.notEqual(both.prefix(), sealWith(OLD).prefix());
  assert.throws(() => both.open(sealed, "row 2"), DecryptionError);
  assert.throws(() => sealWith(NEW).open(sealed, "row 1"), DecryptionError);
});

test("opens texts without a key ID by trying every key", () => {
  const sealed = createSeal(deriveKey(OLD, "tests"), randomBytes).seal("x", "row 1");
  assert.equal(sealWith(NEW, OLD).open(sealed, "row 1").toString(), "x");
  assert.throws(() => sealWith(NEW).open(sealed, "row 1"), DecryptionError);
});

test("rejects other spellings, unknown keys and a changed key ID", () => {
  const seal = sealWith(NEW, OLD);
  const sealed = seal.seal("x", "row 1");
  const id = keyIdOf(NEW);
  const broken = [
    sealed.replace(id, keyIdOf(OLD)),
    sealed.replace(id, "0000000000"),
    `${sealed}.`,
    sealed.replace("v2", "v3"),
  ];
  for (const text of [...broken, sealed.replace(`${id}.`, ""), sealed.replace(id, id.toUpperCase()), "v2", ""])
    assert.throws(() => seal.open(text, "row 1"), DecryptionError, text);
});

test("reloads the secrets when a text names an unknown key", () => {
  const later = sealWith(NEW).seal("x", "row 1");
  let current: readonly [string, ...string[]] = [OLD];
  const secrets = (reload?: "reload") => (current = reload === undefined ? current : [NEW, OLD]);
  const seal = createRotatingSeal(createKeyring(secrets), "tests", randomBytes);
  assert.ok(seal.seal("x", "row 1").startsWith(`v2.${keyIdOf(OLD)}.`));
  assert.equal(seal.open(later, "row 1").toString(), "x");
  assert.ok(seal.seal("x", "row 1").startsWith(`v2.${keyIdOf(NEW)}.`));
});
