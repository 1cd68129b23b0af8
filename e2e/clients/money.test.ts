/** Tests of the gateway alone: each client can read the receipts, and none retries when the balance is insufficient. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { experimental_decide as decide } from "ai";
import { verifyReceipt, type ReceiptKeys } from "../../packages/client/src/index.ts";
import { hosted, type Hosted } from "./counterparts.ts";
import { startProxy } from "./proxy.ts";
import { refusalOf } from "./reading.ts";
import { openAiAt, openAiModelAt, stacks, STATE, typeSafeAt, typeSafeModelAt } from "./stacks.ts";

if (hosted !== null) {
  receiptsAreRead(hosted);
  refusalsAreFinal(hosted);
}

function receiptsAreRead(at: Hosted): void {
  const questions = { about: { type: "noul", instructions: "Is it about money?" } } as const;
  const booleanQuestions = { about: { type: "boolean", instructions: "Is it about money?" } } as const;
  const predicate = { type: "predicate", name: "about", instructions: "Is it about money?" } as const;
  type Headers = { readonly get: (name: string) => string | null };
  const listed = (headers: Readonly<Record<string, string>> | undefined): Headers => ({
    get: (name) => headers?.[name] ?? null,
  });
  const ways: readonly (readonly [string, () => Promise<Headers>])[] = [
    [
      "@typesafe-ai/sdk, by `withResponse()`",
      async () => (await typeSafeAt(at).systemOne({ state: STATE, questions }).withResponse()).response.headers,
    ],
    [
      "openai, by `withResponse()`",
      async () => {
        const body = { model: "gpt-6-luna", input: STATE, questions: [predicate] };
        return (await openAiAt(at).decisions.create(body).withResponse()).response.headers;
      },
    ],
    [
      "ai with @ai-sdk/openai, by `response.headers`",
      async () =>
        listed(
          (await decide({ model: openAiModelAt(at), state: STATE, questions: booleanQuestions })).response.headers,
        ),
    ],
    [
      "ai with @ai-sdk/typesafe-ai, by `response.headers`",
      async () =>
        listed(
          (await decide({ model: typeSafeModelAt(at), state: STATE, questions: booleanQuestions })).response.headers,
        ),
    ],
  ];

  describe("the receipt is readable by", () => {
    for (const [name, ask] of ways)
      test(name, async () => {
        const jwks = await fetch(`${at.railUrl}/.well-known/jwks.json`);
        const keys: ReceiptKeys = JSON.parse(await jwks.text());
        const headers = await ask();
        const verdict = await verifyReceipt(headers.get("x-rail-receipt") ?? "", keys);
        assert.ok(verdict.isGood, JSON.stringify(verdict));
        assert.equal(verdict.claims.jti, headers.get("x-rail-charge"));
        assert.equal(verdict.claims.amt, 500);
        assert.match(headers.get("x-meter-remaining") ?? "", /^\d+$/);
      });

    test("and matches the received bytes", async () => {
      const call = typeSafeAt(at).systemOne({ state: STATE, questions });
      const response = await call.asResponse();
      const bytes = Buffer.from(await response.arrayBuffer());
      const [, payload = ""] = (response.headers.get("x-rail-receipt") ?? "").split(".");
      const { res } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
      assert.equal(createHash("sha256").update(bytes).digest("base64url"), res);
    });
  });
}

function refusalsAreFinal(at: Hosted): void {
  describe("with an insufficient balance", () => {
    for (const { name, ask } of stacks)
      test(`${name} reports where to top up, and does not retry`, async () => {
        const made = await fetch(`${at.railUrl}/v1/wallets`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ email: "nobody@example.org" }),
        });
        const { wallet_token: token } = JSON.parse(await made.text());
        await fetch(`${at.railUrl}/v1/wallets/me`, { method: "DELETE", headers: { "X-Rail-Wallet": token } });
        await using proxy = await startProxy({ ...at, key: token });
        const { status, message } = await refusalOf(ask(proxy));
        assert.equal(status, 402);
        assert.ok(message.includes(`${at.railUrl}/v1/wallets`), message);
        assert.equal(proxy.requests.length, 1);
      });
  });
}
