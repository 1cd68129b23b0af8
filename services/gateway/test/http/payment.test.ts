import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { liveAndTest, generateKey } from "@triptych/api-keys";
import { sharedFixture, type Reply, type Fixture } from "../support/create-fixture.ts";

const LAW = ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess"];
const BODY = { state: "will it rain" };
const STANDARD = ["type", "title", "status", "code", "detail", "instance", "request_id"];
const MONEY = ["error", "pay", "price_micro", "balance_micro"];

function assertPaymentRequired(
  fixture: Fixture,
  answer: Reply,
  expected: Readonly<Record<string, unknown>>,
  remedy: string,
): void {
  const { json, headers } = answer;
  assert.equal(answer.status, 402, answer.text);
  assert.deepEqual(Object.keys(json), [...STANDARD, ...MONEY]);
  const url = fixture.railUrl + remedy;
  assert.deepEqual(json.pay, { rail: fixture.railUrl, url, price_cents: 1, decisions: 20, header: "X-Rail-Wallet" });
  assert.deepEqual(json.error, { message: json.detail, type: "payment_required", code: json.code });
  assert.deepEqual({ code: json.code, price_micro: json.price_micro, balance_micro: json.balance_micro }, expected);
  assert.equal(json.type, `${fixture.url}/problems/${json.code}`);
  assert.equal(headers.get("content-type"), "application/problem+json");
  assert.equal(headers.get("link"), `<${url}>; rel="payment", <${fixture.url}/pricing>; rel="describedby"`);
  const x402 = JSON.parse(Buffer.from(headers.get("payment-required") ?? "", "base64").toString("utf8"));
  const [accepted] = x402.accepts;
  assert.deepEqual(
    [x402.x402Version, accepted.scheme, accepted.amount, accepted.payTo],
    [2, "prepaid-wallet", "500", `${fixture.railUrl}/v1/wallets`],
  );
  assert.match(
    headers.get("www-authenticate") ?? "",
    /^Payment id="[\w-]{43}", realm="127\.0\.0\.1:\d+", method="triptych", intent="charge", request="[\w-]+", header="X-Rail-Wallet"$/,
  );
  assert.equal(headers.get("x-rail-receipt"), null);
}

const nobody = { price_micro: 500, balance_micro: null };
const tokenOf = (mode: 0 | 1) => generateKey(liveAndTest("rail")[mode], (count) => randomBytes(count));

describe("402", () => {
  test("is returned for a missing token, on every decision, before the body is read", async () => {
    const fixture = await sharedFixture();
    for (const path of [...LAW, "/v1/systemone", "/v1/decisions"]) {
      const answer = await fixture.ask(path, { body: "{broken" });
      assertPaymentRequired(fixture, answer, { code: "wallet_required", ...nobody }, "/v1/wallets");
      assert.equal(answer.json.instance, path);
      assert.equal(answer.headers.get("x-meter-remaining"), null);
    }
  });

  test("is returned for a token that is malformed, mistyped, unknown, of the other mode, rotated, or of a closed wallet", async () => {
    const fixture = await sharedFixture();
    const rotated = await fixture.openWallet();
    await fixture.askRail("/v1/wallets/me/rotate", { token: rotated.token, body: { grace_seconds: 0 } });
    const closed = await fixture.openWallet();
    await fixture.askRail("/v1/wallets/me", { token: closed.token, method: "DELETE" });
    const registered = await fixture.openWallet();
    const mistyped = registered.token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    for (const token of ["nonsense", mistyped, tokenOf(1), tokenOf(0), rotated.token, closed.token])
      assertPaymentRequired(
        fixture,
        await fixture.ask("/v1/route", { token, body: BODY }),
        { code: "wallet_unknown", ...nobody },
        "/v1/wallets",
      );
  });

  test("is returned for a token revoked after the lookup, without data of the wallet", async () => {
    const fixture = await sharedFixture();
    const { token } = await fixture.openWallet();
    const ask = () => fixture.ask("/v1/route", { token, body: BODY });
    assert.equal((await ask()).status, 200);
    await fixture.askRail("/v1/wallets/me/rotate", { token, body: { grace_seconds: 0 } });
    const refused = await ask();
    assertPaymentRequired(
      fixture,
      refused,
      { code: "wallet_unknown", price_micro: 500, balance_micro: null },
      "/v1/wallets",
    );
    for (const name of ["x-meter-remaining", "x-meter-unit", "x-meter-balance-micro"])
      assert.equal(refused.headers.get(name), null, name);
  });

  test("is returned for an empty wallet; the next call after a top-up succeeds", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet({ decisions: 1 });
    const ask = () => fixture.ask("/v1/route", { token: wallet.token, body: BODY });
    assert.equal((await ask()).status, 200);
    const empty = await ask();
    assertPaymentRequired(fixture, empty, { code: "wallet_empty", price_micro: 500, balance_micro: 0 }, "/v1/topup");
    assert.equal(empty.headers.get("x-meter-remaining"), "0");
    const paid = await fixture.askRail("/v1/topup", { token: wallet.token, body: { amount_micro: 10_000 } });
    assert.equal(paid.status, 201);
    const after = await ask();
    assert.deepEqual([after.status, after.headers.get("x-meter-remaining")], [200, "19"]);
  });

  test("is returned for Bearer on the five native paths; the compatible APIs accept it, and the header takes precedence", async () => {
    const fixture = await sharedFixture();
    const { token } = await fixture.openWallet();
    for (const path of LAW)
      assert.equal((await fixture.ask(path, { bearer: token, body: BODY })).json.code, "wallet_required");
    const body = { ...BODY, questions: { q: { type: "noul", instructions: "rain?" } } };
    const codeFor = async (credential: { readonly bearer?: string; readonly token?: string }) =>
      (await fixture.ask("/v1/systemone", { ...credential, body })).status;
    assert.equal(await codeFor({ bearer: token }), 200);
    assert.equal(await codeFor({ bearer: "sk-foreign", token }), 200);
    assert.equal(await codeFor({ bearer: token, token: "nonsense" }), 402);
  });
});

describe("a frozen wallet", () => {
  test("is 403 where a wallet is required, and works again once unfrozen", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const by = { operator: "test", reason: "a test" };
    assert.equal((await fixture.asOperator(`/v1/admin/wallets/${wallet.id}/freeze`, by)).status, 200);
    const refused = await fixture.ask("/v1/route", { token: wallet.token, body: BODY });
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.error.code],
      [403, "wallet_frozen", "wallet_frozen"],
    );
    assert.equal(refused.headers.get("x-meter-remaining"), "200");
    assert.equal((await fixture.ask("/v1/heads", { token: wallet.token })).status, 403);
    assert.equal((await fixture.asOperator(`/v1/admin/wallets/${wallet.id}/unfreeze`, by)).status, 200);
    assert.equal((await fixture.ask("/v1/route", { token: wallet.token, body: BODY })).status, 200);
  });
});

describe("the last decisions", () => {
  test("64 concurrent calls with a balance of 10 decisions give 10 responses and 54 times 402", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet({ decisions: 10 });
    const calls = Array.from({ length: 64 }, () => fixture.ask("/v1/noul", { token: wallet.token, body: BODY }));
    const answers = await Promise.all(calls);
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(200), count(402)], [10, 54]);
    const receipts = new Set(
      answers.map(({ headers }) => headers.get("x-rail-receipt")).filter((receipt) => receipt !== null),
    );
    assert.equal(receipts.size, 10);
    assert.equal(await fixture.balance(wallet), 0);
    for (const answer of answers.filter(({ status }) => status === 402)) assert.equal(answer.json.code, "wallet_empty");
  });
});
