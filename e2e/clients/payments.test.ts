/**
 * Tests of the gateway alone: clients of x402 and of the Machine Payments Protocol parse the 402. Each pays with a
 * wallet token once its hook for our scheme is registered, and refuses before any payment without it.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { x402HTTPClient } from "@x402/core/http";
import { isPaymentRequiredV2 } from "@x402/core/schemas";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { Challenge, Method, z } from "mppx";
import { Mppx } from "mppx/client";
import { verifyReceipt, type ReceiptKeys } from "../../packages/client/src/index.ts";
import { until } from "../processes.ts";
import { hosted, type Hosted } from "./counterparts.ts";
import { startProxy } from "./proxy.ts";
import { memberOf, refusalOf } from "./reading.ts";

/** A new object for each call: mppx adds its Accept-Payment to the headers of the caller. */
const question = () => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '{"state":"will it rain"}',
});

if (hosted !== null) {
  challengesAreRead(hosted);
  walletsPay(hosted);
}

function challengesAreRead(at: Hosted): void {
  const refused = () => fetch(`${at.url}/v1/route`, question());

  describe("the 402 is parsed by", () => {
    test("@x402/core, from the header", async () => {
      const response = await refused();
      assert.equal(response.status, 402);
      const client = new x402HTTPClient(new x402Client());
      const required = client.getPaymentRequiredResponse((name) => response.headers.get(name));
      assert.ok(isPaymentRequiredV2(required), JSON.stringify(required));
      const [accepted] = required.accepts;
      assert.deepEqual(
        [accepted?.scheme, accepted?.network, accepted?.amount, accepted?.asset, accepted?.payTo],
        ["prepaid-wallet", "triptych:rail", "500", "EUR", `${at.railUrl}/v1/wallets`],
      );
    });

    test("mppx, from WWW-Authenticate", async () => {
      const [challenge, ...others] = Challenge.fromResponseList(await refused());
      assert.deepEqual(others, []);
      assert.deepEqual(
        [challenge?.method, challenge?.intent, challenge?.header, memberOf(challenge?.request, "amount")],
        ["triptych", "charge", "X-Rail-Wallet", "500"],
      );
    });
  });

  describe("without our scheme, no credential is sent by", () => {
    const ways: readonly (readonly [string, (url: string) => Promise<unknown>, RegExp])[] = [
      [
        "@x402/fetch",
        (url) => wrapFetchWithPayment(fetch, new x402Client())(url, question()),
        /No client registered for x402 version: 2/,
      ],
      [
        "mppx",
        (url) => Mppx.create({ methods: [cardMethod()], polyfill: false }).fetch(url, question()),
        /No method found for challenges: triptych\.charge/,
      ],
    ];
    for (const [name, ask, says] of ways)
      test(name, async () => {
        await using proxy = await startProxy(at);
        const { message } = await refusalOf(ask(`${proxy.url}/v1/route`));
        assert.match(message, says);
        assert.equal(proxy.requests.length, 1);
      });
  });
}

function walletsPay(at: Hosted): void {
  const ways: readonly (readonly [string, (url: string, token: string) => Promise<Response>])[] = [
    ["@x402/fetch, by `onPaymentRequired`", x402Pays],
    ["mppx, by a client method that reads `header`", mppxPays],
  ];

  describe("with our scheme, the decision is paid from the wallet by", () => {
    // These clients do not retry on 503, which the router of a busy machine returns while it loads its models.
    before(() =>
      until("a decision is answered", async () => {
        const { headers, ...others } = question();
        const paid = await fetch(`${at.url}/v1/route`, { ...others, headers: { ...headers, "X-Rail-Wallet": at.key } });
        return paid.ok;
      }),
    );

    for (const [name, pay] of ways)
      test(name, async () => {
        await using proxy = await startProxy(at);
        const response = await pay(`${proxy.url}/v1/route`, at.key);
        assert.equal(response.status, 200);
        assert.deepEqual(
          proxy.requests.map(({ headers }) => headers["x-rail-wallet"]),
          [undefined, at.key],
        );
        const keys: ReceiptKeys = JSON.parse(await (await fetch(`${at.railUrl}/.well-known/jwks.json`)).text());
        const verdict = await verifyReceipt(response.headers.get("x-rail-receipt") ?? "", keys);
        assert.ok(verdict.isGood, JSON.stringify(verdict));
        assert.equal(verdict.claims.amt, 500);
      });

    test("@x402/fetch, which reports a refused token as an error after one attempt", async () => {
      await using proxy = await startProxy(at);
      const { message } = await refusalOf(x402Pays(`${proxy.url}/v1/route`, mistyped(at.key)));
      assert.match(message, /No client registered/);
      assert.equal(proxy.requests.length, 2);
    });

    test("mppx, which tries a refused token three times and returns the 402", async () => {
      await using proxy = await startProxy(at);
      const response = await mppxPays(`${proxy.url}/v1/route`, mistyped(at.key));
      assert.equal(response.status, 402);
      assert.equal(memberOf(await response.json(), "code"), "wallet_unknown");
      assert.equal(proxy.requests.length, 4);
    });
  });
}

function mistyped(token: string): string {
  return token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
}

function x402Pays(url: string, token: string): Promise<Response> {
  const client = new x402HTTPClient(new x402Client()).onPaymentRequired(async ({ paymentRequired }) => {
    const offer = paymentRequired.accepts.find(({ scheme }) => scheme === "prepaid-wallet");
    const header = memberOf(offer?.extra, "header");
    return typeof header === "string" ? { headers: { [header]: token } } : undefined;
  });
  return wrapFetchWithPayment(fetch, client)(url, question());
}

function mppxPays(url: string, token: string): Promise<Response> {
  const wallet = Method.toClient(methodNamed("triptych"), { createCredential: async () => token });
  return Mppx.create({ methods: [wallet], polyfill: false }).fetch(url, question());
}

/** A method with another name, like that of a client that pays by card. */
function cardMethod() {
  return Method.toClient(methodNamed("card"), { createCredential: () => Promise.reject(new Error("never asked")) });
}

function methodNamed(name: string) {
  const request = z.object({ amount: z.string(), currency: z.string(), recipient: z.string() });
  return Method.from({ name, intent: "charge", schema: { credential: { payload: z.object({}) }, request } });
}
