import assert from "node:assert/strict";
import { verify } from "node:crypto";
import { test } from "node:test";
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from "jose";
import { openSigningKeys } from "../../src/domain/signing-keys.ts";
import { chargeWith } from "../support/charges.ts";
import { ACTING, createSharedKeys, SECRET } from "../support/memory-keys.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test("the first start creates one key, which later starts and other processes reuse", async () => {
  const sharedKeys = createSharedKeys();
  const first = await sharedKeys.open("a");
  const second = await sharedKeys.open("b");
  assert.equal(sharedKeys.rows.size, 1);
  assert.equal(second.activeKid(), first.activeKid());
  const [jwk] = first.published();
  assert.deepEqual(Object.keys(jwk).toSorted(), ["crv", "kid", "kty", "use", "x"]);
  assert.equal(jwk.kid, await calculateJwkThumbprint(jwk));
});

test("one of several processes that start, rotate or revoke concurrently creates the key", async () => {
  const sharedKeys = createSharedKeys();
  const [a, b] = await Promise.all([sharedKeys.open("a"), sharedKeys.open("b")]);
  assert.equal(sharedKeys.rows.size, 1);
  const first = a.activeKid();
  assert.equal(b.activeKid(), first);
  assert.deepEqual((await Promise.all([a.rotate(ACTING), b.rotate(ACTING)])).toSorted(), [false, true]);
  assert.equal(sharedKeys.rows.size, 2);
  sharedKeys.pass(1);
  assert.deepEqual(await Promise.all([a.revoke(first, null, ACTING), b.revoke(first, null, ACTING)]), [true, true]);
  assert.equal(sharedKeys.rows.size, 3);
  await a.refresh();
  await b.refresh();
  assert.equal(a.activeKid(), b.activeKid());
  assert.notEqual(a.activeKid(), first);
});

test("no key ID looks like a command-line option", async () => {
  for (let seed = 0; seed < 200; seed++)
    assert.doesNotMatch((await createSharedKeys().open(`seed ${seed}`)).activeKid(), /^-/, `seed ${seed}`);
});

test("stores no private key in clear, neither as bytes nor as text", async () => {
  const sharedKeys = createSharedKeys();
  await sharedKeys.open();
  const [row] = sharedKeys.rows.values();
  const bytes = Buffer.from(row.sealed.split(".")[2], "base64url");
  assert.equal(bytes.indexOf(Buffer.from("302e020100300506032b657004220420", "hex")), -1);
  assert.ok(!JSON.stringify(row).includes("MC4CAQAwBQYDK2VwBCIEI"));
});

test("publishes the next key 24 h before its use, and the old key forever", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open("a");
  const other = await sharedKeys.open("b");
  const old = keys.activeKid();
  assert.equal(await keys.rotate(ACTING), true);
  assert.equal(await other.rotate(ACTING), false);
  assert.deepEqual(
    (await keys.list()).map((key) => key.state),
    ["next", "active"],
  );
  sharedKeys.pass(DAY - 1);
  assert.equal(keys.activeKid(), old);
  sharedKeys.pass(1);
  assert.notEqual(keys.activeKid(), old);
  await other.refresh();
  assert.equal(other.activeKid(), keys.activeKid());
  assert.deepEqual(
    (await keys.list()).map(({ state, replacedAt }) => [state, replacedAt]),
    [
      ["active", null],
      ["retired", sharedKeys.now()],
    ],
  );
  sharedKeys.pass(1000 * DAY);
  assert.deepEqual(new Set(keys.published().map((key) => key.kid)), new Set([old, keys.activeKid()]));
});

test("old receipts verify after any number of rotations, and are rebuilt byte for byte", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const charges = [];
  for (let round = 0; round < 4; round++) {
    const charge = chargeWith(keys.activeKid(), { walletSeq: round + 1 });
    charges.push({ charge, receipt: await keys.receiptOf(charge) });
    await keys.rotate(ACTING);
    sharedKeys.pass(DAY);
  }
  const fresh = await sharedKeys.open("later");
  const set = createLocalJWKSet({ keys: fresh.published().map((key) => ({ ...key })) });
  for (const { charge, receipt } of charges) {
    assert.equal(await fresh.receiptOf(charge), receipt);
    const { payload } = await jwtVerify(receipt, set, { typ: "rail-receipt+jwt" });
    assert.equal(payload["seq"], charge.walletSeq);
  }
});

test("signs with a key that another process has just created", async () => {
  const sharedKeys = createSharedKeys();
  const a = await sharedKeys.open("a");
  const b = await sharedKeys.open("b");
  await b.revoke(b.activeKid(), null, ACTING);
  const charge = chargeWith(b.activeKid());
  assert.equal(await a.receiptOf(charge), await b.receiptOf(charge));
});

test("a revoked key moves to the revoked keys with its time, and another key signs immediately", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const bad = keys.activeKid();
  sharedKeys.pass(HOUR);
  assert.equal(await keys.revoke("nobody's", null, ACTING), false);
  assert.equal(await keys.revoke(bad, null, ACTING), true);
  assert.notEqual(keys.activeKid(), bad);
  assert.ok(keys.published().every((key) => key.kid !== bad));
  assert.deepEqual(
    keys.revoked().map(({ kid, notAfter, jwk }) => [kid, notAfter, jwk.kid]),
    [[bad, sharedKeys.now(), bad]],
  );
  const other = await sharedKeys.open("b");
  assert.equal(other.activeKid(), keys.activeKid());
});

test("a revocation time can be made earlier but never later", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const bad = keys.activeKid();
  sharedKeys.pass(HOUR);
  const earlier = sharedKeys.now() - 1000;
  await keys.revoke(bad, earlier, ACTING);
  await keys.revoke(bad, sharedKeys.now() + DAY, ACTING);
  assert.equal(keys.revoked()[0]?.notAfter, earlier);
  assert.equal(sharedKeys.rows.size, 2);
});

test("revoking the next key before its use leaves the active key in use", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const active = keys.activeKid();
  await keys.rotate(ACTING);
  const [next] = await keys.list();
  await keys.revoke(next.kid, null, ACTING);
  sharedKeys.pass(2 * DAY);
  assert.equal(keys.activeKid(), active);
  assert.equal(await keys.rotate(ACTING), true);
});

test("a clock that goes back or differs between processes does not change the signing key", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open("a");
  const kid = keys.activeKid();
  sharedKeys.pass(-HOUR);
  assert.equal(keys.activeKid(), kid);
  const behind = await sharedKeys.open("b");
  await behind.refresh();
  assert.deepEqual([behind.activeKid(), sharedKeys.rows.size], [kid, 1]);
  assert.deepEqual(
    (await keys.list()).map((key) => key.state),
    ["active"],
  );
});

test("never reactivates an older key after a revocation, but creates a new one", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open("a");
  const old = keys.activeKid();
  await keys.rotate(ACTING);
  sharedKeys.pass(DAY);
  const active = keys.activeKid();
  const [row] = [...sharedKeys.rows.values()].filter(({ kid }) => kid === active);
  sharedKeys.rows.set(active, { ...row, retiredAt: sharedKeys.now(), notAfter: sharedKeys.now() });
  await keys.refresh();
  assert.ok(![old, active].includes(keys.activeKid()));
});

test("refuses to start with a different secret, with instructions; revoking the key resolves it", async () => {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const kid = keys.activeKid();
  const other = sharedKeys.parts("b", `${SECRET} that changed`);
  const lost = await openSigningKeys(other);
  await assert.rejects(lost.check(), /encrypted with a different secret\. Restore TRIPTYCH_SECRET/);
  await lost.revoke(kid, null, ACTING);
  const mended = await openSigningKeys(other);
  await mended.check();
  assert.notEqual(mended.activeKid(), kid);
});

test("rejects a row with a replaced public key", async () => {
  const sharedKeys = createSharedKeys();
  const { x: foreign } = (await createSharedKeys().open("other")).published()[0];
  await sharedKeys.open();
  const [row] = sharedKeys.rows.values();
  sharedKeys.rows.set(row.kid, { ...row, x: foreign });
  await assert.rejects((await sharedKeys.open("b")).check(), /does not match its public key/);
});

test("the algorithm name belongs to the key, so changing the setting does not change old receipts", async () => {
  const sharedKeys = createSharedKeys();
  const before = await sharedKeys.open();
  const charge = chargeWith(before.activeKid());
  const receipt = await before.receiptOf(charge);
  const after = await openSigningKeys({ ...sharedKeys.parts("b"), algorithm: "Ed25519" });
  assert.equal(await after.receiptOf(charge), receipt);
  await after.revoke(after.activeKid(), null, ACTING);
  const named = await after.receiptOf(chargeWith(after.activeKid()));
  const [header, claims, signature] = named.split(".");
  assert.equal(JSON.parse(Buffer.from(header, "base64url").toString()).alg, "Ed25519");
  const jwk = after.published().find((key) => key.kid === after.activeKid());
  assert.ok(
    verify(
      null,
      Buffer.from(`${header}.${claims}`),
      { key: { ...jwk }, format: "jwk" },
      Buffer.from(signature, "base64url"),
    ),
  );
});
