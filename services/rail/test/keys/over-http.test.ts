import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { openService } from "../pages/open-service.ts";

let rail: Awaited<ReturnType<typeof openService>>;
before(async () => {
  rail = await openService();
});
after(() => rail[Symbol.asyncDispose]());

test("the key set contains Ed25519 keys without `alg`, is public and cached for an hour", async () => {
  const answer = await fetch(`${rail.url}/.well-known/jwks.json`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "public, max-age=3600");
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  const { keys }: { keys: Record<string, string>[] } = JSON.parse(await answer.text());
  assert.deepEqual(
    keys.map((key) => Object.keys(key).toSorted()),
    [["crv", "kid", "kty", "use", "x"]],
  );
  const revoked = await fetch(`${rail.url}/.well-known/revoked-keys.json`);
  assert.deepEqual([revoked.status, await revoked.json()], [200, { keys: [] }]);
});

test("the receipt of a charge verifies with jose from the key URL, and is returned again byte for byte", async () => {
  const { wallet_token, wallet_id } = await rail.createWallet();
  const results = await rail.decide(wallet_token, 3);
  const jwks = createRemoteJWKSet(new URL(`${rail.url}/.well-known/jwks.json`));
  const headers = { "X-Rail-Wallet": wallet_token };
  for (const { charge_id, receipt } of results) {
    const { payload } = await jwtVerify(receipt, jwks, {
      issuer: rail.url,
      subject: wallet_id,
      typ: "rail-receipt+jwt",
    });
    assert.equal(payload.jti, charge_id);
    const again = await fetch(`${rail.url}/v1/wallets/me/receipts/${charge_id}`, { headers });
    assert.match(again.headers.get("content-type") ?? "", /^application\/jwt/);
    assert.equal(again.headers.get("cache-control"), "no-store");
    assert.equal(await again.text(), receipt);
  }
});

test("the receipt of another wallet and an unknown receipt get 404", async () => {
  const { wallet_token } = await rail.createWallet();
  const [{ charge_id }] = await rail.decide(wallet_token, 1);
  const { wallet_token: other } = await rail.createWallet();
  for (const id of [charge_id, "chg_none", "pur_none", "x"]) {
    const answer = await fetch(`${rail.url}/v1/wallets/me/receipts/${id}`, { headers: { "X-Rail-Wallet": other } });
    assert.equal(answer.status, 404, id);
    assert.equal(JSON.parse(await answer.text()).code, "receipt_not_found");
  }
});
