import assert from "node:assert/strict";
import { test } from "node:test";
import { paymentRequired, type PaymentCode } from "../src/index.ts";

function ask(code: PaymentCode, balanceMicro: number | null = null) {
  return paymentRequired({
    code,
    railUrl: "http://rail.test",
    describedBy: "http://gateway.test/pricing",
    resource: "http://gateway.test/v1/route",
    priceMicro: 500,
    balanceMicro,
  });
}

test("a 402 contains the payee, the remedy and the price in exactly five members", () => {
  const { members, status, headers } = ask("wallet_required");
  assert.equal(status, 402);
  assert.deepEqual(members["pay"], {
    rail: "http://rail.test",
    url: "http://rail.test/v1/wallets",
    price_cents: 1,
    decisions: 20,
    header: "X-Rail-Wallet",
  });
  assert.equal(
    headers["Link"],
    '<http://rail.test/v1/wallets>; rel="payment", <http://gateway.test/pricing>; rel="describedby"',
  );
  assert.deepEqual([members["price_micro"], members["balance_micro"]], [500, null]);
  assert.deepEqual(Object.keys(members["error"] ?? {}), ["message", "type", "code"]);
  assert.equal(headers["X-Meter-Remaining"], undefined, "without a wallet, no balance is left");
});

test("each code links to its own remedy", () => {
  const remedies: Record<PaymentCode, string> = {
    wallet_required: "/v1/wallets",
    wallet_unknown: "/v1/wallets",
    wallet_empty: "/v1/topup",
    entitlement_required: "/v1/purchases",
  };
  for (const code of Object.keys(remedies) as PaymentCode[]) {
    const { headers, members } = ask(code, 499);
    assert.equal((members["pay"] as { url: string }).url, `http://rail.test${remedies[code]}`);
    assert.ok(headers["Link"]?.startsWith(`<http://rail.test${remedies[code]}>; rel="payment"`));
  }
});

test("headers contain the balance of a known wallet", () => {
  const { headers } = ask("wallet_empty", 499);
  assert.deepEqual(
    [headers["X-Meter-Remaining"], headers["X-Meter-Unit"], headers["X-Meter-Balance-Micro"]],
    ["0", "decisions", "499"],
  );
});

test("PAYMENT-REQUIRED contains an x402 version 2 object with the prepaid scheme", () => {
  const { headers } = ask("wallet_empty", 0);
  const object = JSON.parse(Buffer.from(headers["PAYMENT-REQUIRED"] ?? "", "base64").toString());
  assert.equal(object.x402Version, 2);
  assert.equal(object.resource.url, "http://gateway.test/v1/route");
  assert.deepEqual(
    [object.accepts[0].scheme, object.accepts[0].amount, object.accepts[0].payTo],
    ["prepaid-wallet", "500", "http://rail.test/v1/wallets"],
  );
});

test("WWW-Authenticate is a Payment challenge with the same price, whose id covers its terms", () => {
  const challengeOf = (code: PaymentCode) => ask(code).headers["WWW-Authenticate"] ?? "";
  const challenge = challengeOf("wallet_empty");
  assert.match(challenge, /^Payment (?:[a-z]+="[\w.-]+"(?:, |$))+$/);
  const members = Object.fromEntries(
    [...challenge.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const { request = "", id, ...others } = members;
  assert.deepEqual(others, { realm: "gateway.test", method: "triptych", intent: "charge", header: "X-Rail-Wallet" });
  assert.deepEqual(JSON.parse(Buffer.from(request, "base64url").toString()), {
    amount: "500",
    currency: "micro-eur",
    recipient: "http://rail.test/v1/wallets",
    methodDetails: { header: "X-Rail-Wallet", remedy: "http://rail.test/v1/topup" },
  });
  assert.equal(challengeOf("wallet_empty"), challenge);
  assert.ok(!challengeOf("wallet_required").includes(`id="${id}"`), "different terms have a different id");
});
