import assert from "node:assert/strict";
import { verify } from "node:crypto";
import { test } from "node:test";
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from "jose";
import { openSigningKeys } from "../../src/domain/signing-keys.ts";
import { chargeWith } from "../support/charges.ts";
import { keyHouse, SECRET } from "../support/memory-keys.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test("the first start creates one key, which later starts and other processes reuse", async () => {
  const house = keyHouse();
  const first = await house.open("a");
  const second = await house.open("b");
  assert.equal(house.rows.size, 1);
  assert.equal(second.activeKid(), first.activeKid());
  const [jwk] = first.published();
  assert.deepEqual(Object.keys(jwk).toSorted(), ["crv", "kid", "kty", "use", "x"]);
  assert.equal(jwk.kid, await calculateJwkThumbprint(jwk));
});

test("of processes that start, rotate or revoke concurrently, one creates the key", async () => {
  const house = keyHouse();
  const [a, b] = await Promise.all([house.open("a"), house.open("b")]);
  assert.equal(house.rows.size, 1);
  const first = a.activeKid();
  assert.equal(b.activeKid(), first);
  assert.deepEqual((await Promise.all([a.rotate(), b.rotate()])).toSorted(), [false, true]);
  assert.equal(house.rows.size, 2);
  house.pass(1);
  assert.deepEqual(await Promise.all([a.revoke(first, null), b.revoke(first, null)]), [true, true]);
  assert.equal(house.rows.size, 3);
  await a.refresh();
  await b.refresh();
  assert.equal(a.activeKid(), b.activeKid());
  assert.notEqual(a.activeKid(), first);
});

test("no key ID looks like a command-line option", async () => {
  for (let seed = 0; seed < 200; seed++)
    assert.doesNotMatch((await keyHouse().open(`seed ${seed}`)).activeKid(), /^-/, `seed ${seed}`);
});

test("stores no private key in clear, neither as bytes nor as text", async () => {
  const house = keyHouse();
  await house.open();
  const [row] = house.rows.values();
  const bytes = Buffer.from(row.sealed.split(".")[2], "base64url");
  assert.equal(bytes.indexOf(Buffer.from("302e020100300506032b657004220420", "hex")), -1);
  assert.ok(!JSON.stringify(row).includes("MC4CAQAwBQYDK2VwBCIEI"));
});

test("publishes the next key 24 h before its use, and the old key forever", async () => {
  const house = keyHouse();
  const keys = await house.open("a");
  const other = await house.open("b");
  const old = keys.activeKid();
  assert.equal(await keys.rotate(), true);
  assert.equal(await other.rotate(), false);
  assert.deepEqual(
    (await keys.list()).map((key) => key.state),
    ["next", "active"],
  );
  house.pass(DAY - 1);
  assert.equal(keys.activeKid(), old);
  house.pass(1);
  assert.notEqual(keys.activeKid(), old);
  await other.refresh();
  assert.equal(other.activeKid(), keys.activeKid());
  assert.deepEqual(
    (await keys.list()).map(({ state, replacedAt }) => [state, replacedAt]),
    [
      ["active", null],
      ["retired", house.now()],
    ],
  );
  house.pass(1000 * DAY);
  assert.deepEqual(new Set(keys.published().map((key) => key.kid)), new Set([old, keys.activeKid()]));
});

test("old receipts verify after any number of rotations, and are rebuilt byte for byte", async () => {
  const house = keyHouse();
  const keys = await house.open();
  const charges = [];
  for (let round = 0; round < 4; round++) {
    const charge = chargeWith(keys.activeKid(), { walletSeq: round + 1 });
    charges.push({ charge, receipt: await keys.receiptOf(charge) });
    await keys.rotate();
    house.pass(DAY);
  }
  const fresh = await house.open("later");
  const set = createLocalJWKSet({ keys: fresh.published().map((key) => ({ ...key })) });
  for (const { charge, receipt } of charges) {
    assert.equal(await fresh.receiptOf(charge), receipt);
    const { payload } = await jwtVerify(receipt, set, { typ: "rail-receipt+jwt" });
    assert.equal(payload["seq"], charge.walletSeq);
  }
});

test("signs with a key that another process has just created", async () => {
  const house = keyHouse();
  const a = await house.open("a");
  const b = await house.open("b");
  await b.revoke(b.activeKid(), null);
  const charge = chargeWith(b.activeKid());
  assert.equal(await a.receiptOf(charge), await b.receiptOf(charge));
});

test("a revoked key moves to the revoked keys with its time, and another key signs immediately", async () => {
  const house = keyHouse();
  const keys = await house.open();
  const bad = keys.activeKid();
  house.pass(HOUR);
  assert.equal(await keys.revoke("nobody's", null), false);
  assert.equal(await keys.revoke(bad, null), true);
  assert.notEqual(keys.activeKid(), bad);
  assert.ok(keys.published().every((key) => key.kid !== bad));
  assert.deepEqual(
    keys.revoked().map(({ kid, notAfter, jwk }) => [kid, notAfter, jwk.kid]),
    [[bad, house.now(), bad]],
  );
  const other = await house.open("b");
  assert.equal(other.activeKid(), keys.activeKid());
});

test("a revocation time can move back, never forward", async () => {
  const house = keyHouse();
  const keys = await house.open();
  const bad = keys.activeKid();
  house.pass(HOUR);
  const earlier = house.now() - 1000;
  await keys.revoke(bad, earlier);
  await keys.revoke(bad, house.now() + DAY);
  assert.equal(keys.revoked()[0]?.notAfter, earlier);
  assert.equal(house.rows.size, 2);
});

test("revoking the next key before its use leaves the active key in use", async () => {
  const house = keyHouse();
  const keys = await house.open();
  const active = keys.activeKid();
  await keys.rotate();
  const [next] = await keys.list();
  await keys.revoke(next.kid, null);
  house.pass(2 * DAY);
  assert.equal(keys.activeKid(), active);
  assert.equal(await keys.rotate(), true);
});

test("a clock that goes back or differs between processes does not change the signing key", async () => {
  const house = keyHouse();
  const keys = await house.open("a");
  const kid = keys.activeKid();
  house.pass(-HOUR);
  assert.equal(keys.activeKid(), kid);
  const behind = await house.open("b");
  await behind.refresh();
  assert.deepEqual([behind.activeKid(), house.rows.size], [kid, 1]);
  assert.deepEqual(
    (await keys.list()).map((key) => key.state),
    ["active"],
  );
});

test("never reactivates an older key after a revocation, but creates a new one", async () => {
  const house = keyHouse();
  const keys = await house.open("a");
  const old = keys.activeKid();
  await keys.rotate();
  house.pass(DAY);
  const active = keys.activeKid();
  const [row] = [...house.rows.values()].filter(({ kid }) => kid === active);
  house.rows.set(active, { ...row, retiredAt: house.now(), notAfter: house.now() });
  await keys.refresh();
  assert.ok(![old, active].includes(keys.activeKid()));
});

test("refuses to start with a different secret, with instructions; revoking the key resolves it", async () => {
  const house = keyHouse();
  const keys = await house.open();
  const kid = keys.activeKid();
  const other = house.parts("b", `${SECRET} that changed`);
  const lost = await openSigningKeys(other);
  await assert.rejects(lost.check(), /encrypted with a different secret\. Restore TRIPTYCH_SECRET/);
  await lost.revoke(kid, null);
  const mended = await openSigningKeys(other);
  await mended.check();
  assert.notEqual(mended.activeKid(), kid);
});

test("rejects a row with a replaced public key", async () => {
  const house = keyHouse();
  const { x: foreign } = (await keyHouse().open("other")).published()[0];
  await house.open();
  const [row] = house.rows.values();
  house.rows.set(row.kid, { ...row, x: foreign });
  await assert.rejects((await house.open("b")).check(), /does not match its public key/);
});

test("the algorithm name is bound to the key: changing the setting does not change old receipts", async () => {
  const house = keyHouse();
  const before = await house.open();
  const charge = chargeWith(before.activeKid());
  const receipt = await before.receiptOf(charge);
  const after = await openSigningKeys({ ...house.parts("b"), algorithm: "Ed25519" });
  assert.equal(await after.receiptOf(charge), receipt);
  await after.revoke(after.activeKid(), null);
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
