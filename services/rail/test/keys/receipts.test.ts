import assert from "node:assert/strict";
import { createHash, verify } from "node:crypto";
import { test } from "node:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { canonicalJson, CHARGED_OPERATIONS, chargeBatch, gatewayContract, isSold } from "@triptych/contracts";
import { Check } from "typebox/value";
import { ISSUER_MAX } from "../../src/domain/receipt.ts";
import { openSigningKeys } from "../../src/domain/signing-keys.ts";
import { keysOf, requestDigest, digest, verifyReceipt } from "@triptych/client/receipt.js";
import { chargeWith, purchaseWith } from "../support/charges.ts";
import { ACTING, createSharedKeys, seededRandom } from "../support/memory-keys.ts";

async function createFixture() {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const jwks = { keys: keys.published().map((key) => ({ ...key })) };
  return { sharedKeys, keys, jwks, published: keysOf([jwks]) };
}

function claimsOf(receipt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(receipt.split(".")[1], "base64url").toString());
}

test("a receipt verifies from the key set alone, with jose, node:crypto and WebCrypto", async () => {
  const { keys, jwks, published } = await createFixture();
  const receipt = await keys.receiptOf(chargeWith(keys.activeKid(), { idk: "k".repeat(22) }));

  const { payload, protectedHeader } = await jwtVerify(receipt, createLocalJWKSet(jwks), { typ: "rail-receipt+jwt" });
  assert.deepEqual(protectedHeader, { alg: "EdDSA", kid: keys.activeKid(), typ: "rail-receipt+jwt" });

  const [header, claims, signature] = receipt.split(".");
  const key = { key: jwks.keys[0], format: "jwk" } as const;
  assert.ok(verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url")));

  const verdict = await verifyReceipt(receipt, published);
  assert.ok(verdict.good);
  assert.deepEqual({ ...verdict.claims }, { ...payload });
});

test("a receipt has the claims of the contract in canonical JSON, and no client data", async () => {
  const { keys } = await createFixture();
  const charge = chargeWith(keys.activeKid(), { keyHash: "a".repeat(64), idk: "k".repeat(22) });
  const receipt = await keys.receiptOf(charge);
  assert.deepEqual(claimsOf(receipt), {
    iss: "http://127.0.0.1:7005",
    sub: charge.walletId,
    jti: charge.id,
    iat: 1_795_219_200,
    op: "route",
    qty: 1,
    price: "decision-v1",
    amt: 500,
    cur: "EUR",
    exp10: -6,
    bal: 99_500,
    seq: 2,
    prev: "AAAAAAAAAAAAAAAAAAAAAA",
    req: charge.req,
    res: charge.res,
    idk: charge.idk,
  });
  const [header, claims] = receipt.split(".").map((part) => Buffer.from(part, "base64url").toString());
  assert.equal(header, canonicalJson(JSON.parse(header)));
  assert.equal(claims, canonicalJson(JSON.parse(claims)));
});

test("produces the same bytes for a charge in every later state and from every process", async () => {
  const { sharedKeys, keys } = await createFixture();
  const charge = chargeWith(keys.activeKid(), { keyHash: "a".repeat(64), idk: "k".repeat(22) });
  const receipt = await keys.receiptOf(charge);
  sharedKeys.pass(90 * 24 * 3_600_000);
  const other = await sharedKeys.open("another process");
  const voided = {
    ...charge,
    state: "voided",
    voidedAt: sharedKeys.now(),
    voidReason: "lease",
    keyHash: null,
  } as const;
  assert.equal(await other.receiptOf(voided), receipt);
});

test("the receipt of a purchase contains its ID and no request digest", async () => {
  const { keys, published } = await createFixture();
  const purchase = purchaseWith(keys.activeKid());
  const verdict = await verifyReceipt(await keys.receiptOf(purchase), published);
  assert.ok(verdict.good);
  const { jti, op, amt, req, res } = verdict.claims;
  assert.deepEqual([jti, op, amt, req, res], [purchase.id, "purchase", 49_000_000, undefined, undefined]);
});

test("a thousand random bit flips are all detected", async () => {
  const { keys, published } = await createFixture();
  const receipt = await keys.receiptOf(chargeWith(keys.activeKid()));
  const random = seededRandom("flips");
  for (let round = 0; round < 1000; round++) {
    const bytes = Buffer.from(receipt);
    const bit = random(4).readUInt32BE() % (bytes.length * 8);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    const verdict = await verifyReceipt(bytes.toString("latin1"), published);
    assert.equal(verdict.good, false, `bit ${bit}`);
  }
});

test("every flipped byte of the signed data and the signature is detected", async () => {
  const { keys, published } = await createFixture();
  const receipt = await keys.receiptOf(chargeWith(keys.activeKid()));
  const parts = receipt.split(".");
  for (let part = 0; part < 3; part++) {
    const bytes = Buffer.from(parts[part], "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] ^= 0xff;
      const text = parts.with(part, changed.toString("base64url")).join(".");
      assert.equal((await verifyReceipt(text, published)).good, false, `part ${part} byte ${index}`);
    }
  }
});

test("refuses a malformed receipt, another algorithm and another key, with a reason", async () => {
  const { keys, published } = await createFixture();
  const receipt = await keys.receiptOf(chargeWith(keys.activeKid()));
  const [header, claims, signature] = receipt.split(".");
  const headed = (head: object) =>
    [Buffer.from(JSON.stringify(head)).toString("base64url"), claims, signature].join(".");
  const kid = keys.activeKid();
  const other = await createSharedKeys().open("another");
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /Not a receipt/],
    ["abc", /Not a receipt/],
    [`${header}..${signature}`, /Not a receipt/],
    [`${receipt}.`, /Not a receipt/],
    [`${receipt}=`, /Not a receipt/],
    [headed({ alg: "none", kid, typ: "rail-receipt+jwt" }), /another type or algorithm/],
    [headed({ alg: "HS256", kid, typ: "rail-receipt+jwt" }), /another type or algorithm/],
    [headed({ alg: "EdDSA", kid, typ: "JWT" }), /another type or algorithm/],
    [headed({ alg: "EdDSA", kid: "unknown", typ: "rail-receipt+jwt" }), /is not published/],
    [await other.receiptOf(chargeWith(other.activeKid())), /is not published/],
    [await keys.signStatement({ month: "2026-11" }), /Not a receipt/],
  ];
  for (const [text, reason] of cases) {
    const verdict = await verifyReceipt(text, published);
    assert.match(verdict.good ? "good" : verdict.reason, reason, text);
  }
});

test("a key published under another key's ID verifies nothing", async () => {
  const { keys, published } = await createFixture();
  const other = keysOf([{ keys: (await createSharedKeys().open("another")).published() }]);
  const receipt = await keys.receiptOf(chargeWith(keys.activeKid()));
  const verdict = await verifyReceipt(receipt, [{ ...other[0], kid: published[0].kid }]);
  assert.equal(verdict.good, false);
});

test("a compromised key is valid for earlier receipts only", async () => {
  const { sharedKeys, keys } = await createFixture();
  const kid = keys.activeKid();
  const before = await keys.receiptOf(chargeWith(kid, { createdAt: sharedKeys.now() - 1000 }));
  const after = await keys.receiptOf(chargeWith(kid, { createdAt: sharedKeys.now() }));
  await keys.revoke(kid, null, ACTING);
  const revoked = keys.revoked().map((key) => ({ ...key, not_after: new Date(key.notAfter).toISOString() }));
  const published = keysOf([{ keys: keys.published() }, { keys: revoked }]);
  assert.equal((await verifyReceipt(before, published)).good, true);
  const verdict = await verifyReceipt(after, published);
  assert.match(verdict.good ? "good" : verdict.reason, /compromised/);
});

test("a receipt with values of maximum length has at most 800 bytes", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await openSigningKeys({ ...sharedKeys.parts(), algorithm: "Ed25519" });
  const published = keysOf([{ keys: keys.published() }]);
  const op = CHARGED_OPERATIONS.reduce((longest, next) => (next.length > longest.length ? next : longest), "");
  assert.deepEqual([isTaken({ op }), isTaken({ op: "purchase" })], [true, false]);
  const charge = chargeWith(keys.activeKid(), {
    issuer: `https://${"a".repeat(ISSUER_MAX - 8)}`,
    op,
    balanceAfterMicro: Number.MAX_SAFE_INTEGER,
    walletSeq: 9_999_999_999,
    idk: "k".repeat(22),
  });
  const receipt = await keys.receiptOf(charge);
  assert.ok(receipt.length <= 800, `${receipt.length} bytes`);
  assert.ok(receipt.length > 790, "the bound on the address is as wide as it can be");
  assert.equal((await verifyReceipt(receipt, published)).good, true);
  const ofToken = await keys.receiptOf({ ...charge, tokenId: `tok_${"0".repeat(26)}` });
  assert.ok(ofToken.length <= 860, `${ofToken.length} bytes with the token`);
  assert.equal((await verifyReceipt(ofToken, published)).good, true);
});

test("every endpoint that the gateway bills is an operation charged by the rail", () => {
  const billed = gatewayContract.endpoints.filter(isSold).map(({ id }) => id);
  assert.deepEqual(billed.toSorted(), CHARGED_OPERATIONS.toSorted());
});

function isTaken({ op }: { readonly op: string }): boolean {
  const about = { seq: 1, wallet_hash: "a".repeat(64), qty: 1, price_id: "decision-v1" };
  const charges = [{ ...about, op, req: "q".repeat(43), res: "s".repeat(43) }];
  return Check(chargeBatch.body, { instance: "gw-1", boot: "b-1", charges });
}

test("`req` and `res` can be recomputed from the transferred bytes", async () => {
  const request = '{ "state" : "where is the train?", "options": ["a","b"] }';
  const canonical = '{"options":["a","b"],"state":"where is the train?"}';
  const expected = createHash("sha256").update(`POST\n/v1/route\n${canonical}`).digest("base64url");
  assert.equal(await requestDigest({ method: "POST", path: "/v1/route", body: JSON.parse(request) }), expected);
  const answer = canonicalJson({ route: "a", confidence: 0.83, tier: 1 });
  const res = createHash("sha256").update(answer).digest("base64url");
  assert.equal(await digest(new TextEncoder().encode(answer)), res);
});

test("a statement has a detached signature over its canonical JSON", async () => {
  const { keys, jwks } = await createFixture();
  const statement = { wallet_id: "wal_1", month: "2026-11", opening_micro: 0, closing_micro: 0, movements: [] };
  const [header, between, signature] = (await keys.signStatement(statement)).split(".");
  assert.equal(between, "");
  const signed = `${header}.${Buffer.from(canonicalJson(statement)).toString("base64url")}`;
  const key = { key: jwks.keys[0], format: "jwk" } as const;
  assert.ok(verify(null, Buffer.from(signed), key, Buffer.from(signature, "base64url")));
  assert.equal(JSON.parse(Buffer.from(header, "base64url").toString()).typ, "rail-statement+jwt");
});
