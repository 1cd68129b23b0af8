import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { bodyDigest, createResponseEncryption, requestDigest, walletHashOf } from "../src/index.ts";
import { verifyReceipt, type ReceiptVerdict } from "@triptych/client";

const REQUEST = { method: "POST", path: "/v1/route", body: { state: "élan", min_conf: 0.5 } };
const BODY = canonicalJson({ action: "delegate", confidence: 0.93 });

const PRICE = { op: "route", qty: 1, price: "decision-v1", amt: 500, cur: "EUR", exp10: -6 };
const CLAIMS = {
  ...PRICE,
  iss: "http://rail.test",
  sub: "wal_1",
  jti: "chg_1",
  iat: 1_795_000_000,
  bal: 99_500,
  seq: 2,
  prev: "A".repeat(22),
};

function createReceiptFixture() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const x = String(publicKey.export({ format: "jwk" }).x);
  const kid = createHash("sha256")
    .update(canonicalJson({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");
  const jwk = { kid, kty: "OKP", crv: "Ed25519", x };
  const encode = (value: object) => Buffer.from(canonicalJson(value)).toString("base64url");
  const make = (typ = "rail-receipt+jwt", changed: object = {}) => {
    const claims = { ...CLAIMS, req: requestDigest(REQUEST), res: bodyDigest(BODY), ...changed };
    const signed = `${encode({ alg: "EdDSA", kid, typ })}.${encode(claims)}`;
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
  };
  return { jwk, jwks: { keys: [jwk] }, receipt: make(), make };
}

const errorOf = (verdict: ReceiptVerdict) => (verdict.isGood ? null : verdict.error);

test("a receipt proves its request and response", async () => {
  const { jwks, receipt } = createReceiptFixture();
  const verdict = await verifyReceipt(receipt, jwks, { request: REQUEST, body: BODY });
  assert.ok(verdict.isGood);
  assert.equal(verdict.claims.jti, "chg_1");
  const reordered = { ...REQUEST, body: { min_conf: 0.5, state: "élan" } };
  assert.equal(errorOf(await verifyReceipt(receipt, jwks, { request: reordered, body: Buffer.from(BODY) })), null);
  const other = { ...REQUEST, path: "/v1/score" };
  assert.equal(errorOf(await verifyReceipt(receipt, jwks, { request: other })), "request_differs");
  assert.equal(errorOf(await verifyReceipt(receipt, jwks, { body: `${BODY} ` })), "body_differs");
});

test("rejects a receipt with another key, another type or a revoked key", async () => {
  const { jwk, jwks, receipt, make } = createReceiptFixture();
  assert.equal(errorOf(await verifyReceipt(receipt, { keys: [] })), "key_unknown");
  assert.equal(
    errorOf(await verifyReceipt(receipt, { keys: [{ ...createReceiptFixture().jwk, kid: jwk.kid }] })),
    "signature_invalid",
  );
  assert.equal(errorOf(await verifyReceipt(make("rail-statement+jwt"), jwks)), "malformed");
  assert.equal(errorOf(await verifyReceipt("a.b", jwks)), "malformed");
  assert.equal(errorOf(await verifyReceipt(make(undefined, { amt: "500" }), jwks)), "malformed");
  const revokedAt = (not_after: string) => ({ revoked: { keys: [{ kid: jwk.kid, not_after, jwk }] } });
  assert.equal(errorOf(await verifyReceipt(receipt, jwks, revokedAt("2026-01-01T00:00:00.000Z"))), "key_revoked");
  assert.equal(errorOf(await verifyReceipt(receipt, jwks, revokedAt("soon"))), "key_revoked");
  assert.equal(errorOf(await verifyReceipt(receipt, { keys: [] }, revokedAt("2027-01-01T00:00:00.000Z"))), null);
});

test("rejects a receipt with any bit flipped", async () => {
  const { jwks, receipt } = createReceiptFixture();
  for (let index = 0; index < receipt.length; index++) {
    const bytes = Buffer.from(receipt);
    bytes[index] ^= 1 << (index % 7);
    assert.notEqual(errorOf(await verifyReceipt(bytes.toString("latin1"), jwks)), null, `at ${index}`);
  }
});

test("digests match those of standard tools", () => {
  const sha = (text: string) => createHash("sha256").update(text).digest("base64url");
  assert.equal(requestDigest(REQUEST), sha('POST\n/v1/route\n{"min_conf":0.5,"state":"élan"}'));
  assert.equal(bodyDigest(BODY), sha(BODY));
  assert.match(walletHashOf("rail_test_x"), /^[0-9a-f]{64}$/);
});

test("a sealed response opens only with the same secret for the same call, and only if unmodified", () => {
  const seal = createResponseEncryption("s".repeat(32), randomBytes);
  const sealed = seal.seal(BODY, "wallet route key");
  assert.equal(Buffer.from(seal.open(sealed, "wallet route key") ?? []).toString(), BODY);
  assert.match(sealed, /^[\w-]+$/);
  assert.ok(!Buffer.from(sealed, "base64url").includes("delegate"));
  assert.equal(seal.open(sealed, "wallet route other"), null);
  assert.equal(createResponseEncryption("t".repeat(32), randomBytes).open(sealed, "wallet route key"), null);
  assert.equal(seal.open("", "wallet route key"), null);
  const bytes = Buffer.from(sealed, "base64url");
  for (let index = 0; index < bytes.length; index++) {
    const touched = Buffer.from(bytes);
    touched[index] ^= 0x10;
    assert.equal(seal.open(touched.toString("base64url"), "wallet route key"), null, `at ${index}`);
  }
});
