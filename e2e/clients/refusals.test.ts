/** Errors as each client reports them: validation issues, a wrong token, an image, an insufficient balance. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { experimental_decide as decide } from "ai";
import { locked, open, WRONG_TOKEN, type Counterpart } from "./counterparts.ts";
import { problem, startProxy } from "./proxy.ts";
import { memberOf, refusalOf } from "./reading.ts";
import { openAiAt, openAiModelAt, stacks, STATE, typeSafeAt, typeSafeModelAt } from "./stacks.ts";

const PAYMENT = "Send X-Rail-Wallet. A wallet is made with POST /v1/wallets.";

for (const { name, wire, ask } of stacks)
  describe(name, () => {
    test("gets all issues with their locations in one error message", async () => {
      const routes = { ["x".repeat(300)]: "too long", other: "well" };
      const { status, message } = await refusalOf(ask(open, { state: " ", routes }));
      assert.equal(status, 422);
      const pointers =
        wire === "/v1/systemone"
          ? [
              /\bstate: (?:`state` must contain more than white space|This contains no text)/,
              /questions\.route\.criteria\.x+: /,
            ]
          : [
              /\binput\b.*: (?:`input` must contain more than white space|This contains no text)/,
              /questions\.1\.choices\.0\.value: /,
            ];
      for (const pointer of pointers) assert.match(message, pointer);
    });

    test("rejects a wrong bearer token and accepts the right one", async () => {
      const { status, message } = await refusalOf(ask({ ...locked, key: "a-token-of-somebody-else" }));
      assert.equal(status, WRONG_TOKEN);
      assert.match(message, /token/);
      assert.ok(!message.includes("somebody-else"), message);
      await using proxy = await startProxy(locked);
      assert.equal((await ask(proxy)).route.choice, "refund");
      assert.equal(proxy.requests[0]?.headers.authorization, `Bearer ${locked.key}`);
    });

    for (const status of [408, 429, 503])
      test(`retries after ${status}, without an Idempotency-Key`, async () => {
        await using proxy = await startProxy(open, [problem(status, "try_again", "Try again.")]);
        assert.equal((await ask(proxy)).route.choice, "refund");
        assert.deepEqual(
          proxy.requests.map(({ path, headers }) => [path, headers["idempotency-key"]]),
          [
            [wire, undefined],
            [wire, undefined],
          ],
        );
        assert.equal(proxy.requests[1]?.body, proxy.requests[0]?.body);
      });

    for (const [status, code] of [[402, "wallet_required"] as const, [403, "wallet_frozen"] as const])
      test(`does not retry after ${status}, and reports what is missing`, async () => {
        await using proxy = await startProxy(open, [problem(status, code, PAYMENT)]);
        const refusal = await refusalOf(ask(proxy));
        assert.equal(refusal.status, status);
        assert.ok(refusal.message.includes(PAYMENT), refusal.message);
        assert.equal(proxy.requests.length, 1);
      });
  });

describe("rejects an image with 422 and its location", () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const seen = [
    { type: "text", text: STATE },
    { type: "file", mediaType: "image/png", data: Buffer.from(pixel, "base64") },
  ] as const;
  const booleanQuestions = { about: { type: "boolean", instructions: "Is it a lamp?" } } as const;
  const image_url = `data:image/png;base64,${pixel}`;
  const ways: readonly (readonly [string, (at: Counterpart) => PromiseLike<unknown>, RegExp])[] = [
    [
      "@typesafe-ai/sdk",
      (at) =>
        typeSafeAt(at).systemOne({
          state: [
            { type: "text", text: STATE },
            { type: "image", image: image_url },
          ],
          questions: { about: { type: "noul", instructions: "Is it a lamp?" } },
        }),
      /state\.1\.type: Images are not supported/,
    ],
    [
      "openai",
      (at) =>
        openAiAt(at).decisions.create({
          model: "gpt-6-luna",
          input: [{ role: "user", content: [{ type: "input_image", image_url }] }],
          questions: [{ type: "predicate", instructions: "Is it a lamp?" }],
        }),
      /input\.0\.content\.0\.type: Images are not supported/,
    ],
    [
      "ai with @ai-sdk/openai",
      (at) => decide({ model: openAiModelAt(at), state: seen, questions: booleanQuestions }),
      /input\.0\.content\.1\.type: Images are not supported/,
    ],
    [
      "ai with @ai-sdk/typesafe-ai",
      (at) => decide({ model: typeSafeModelAt(at), state: seen, questions: booleanQuestions }),
      /state\.1\.type: /,
    ],
  ];
  for (const [name, ask, says] of ways)
    test(name, async () => {
      const { status, message } = await refusalOf(ask(open));
      assert.equal(status, 422);
      assert.match(message, says);
    });
});

describe("returns a printable message with every error", () => {
  const sent = (body: string, more: Readonly<Record<string, string>> = {}) => ({
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${open.key}`, ...open.headers, ...more },
    body,
  });
  const ways: readonly (readonly [number, string, string, RequestInit])[] = [
    [400, "invalid JSON", "/v1/decisions", sent("{")],
    [404, "an unknown path", "/v1/chat/completions", sent("{}")],
    [405, "a method that is not allowed", "/v1/systemone", { method: "PUT", headers: open.headers }],
    [413, "a body that is too large", "/v1/systemone", sent(JSON.stringify({ state: "x".repeat(300_000) }))],
    [415, "a body of another media type", "/v1/decisions", sent("a=1", { "Content-Type": "text/plain" })],
    [422, "a body without members", "/v1/systemone", sent("{}")],
  ];
  for (const [status, name, path, request] of ways)
    test(`${status}: ${name}`, async () => {
      const answer = await fetch(open.url + path, request);
      const body: unknown = JSON.parse(await answer.text());
      assert.equal(answer.status, status);
      const message = memberOf(body, "error", "message");
      assert.ok(typeof message === "string" && message !== "", JSON.stringify(body));
    });

  test("reports an unknown expert with 404 in each client's message", async () => {
    const typeSafeBody = {
      state: STATE,
      questions: { about: { type: "noul", instructions: "?" } },
      expert: "nobody",
    } as const;
    const own = await refusalOf(typeSafeAt(open).systemOne(typeSafeBody));
    const question = { type: "predicate", instructions: "?" } as const;
    const openAiBody = { model: "triptych-1/nobody", input: STATE, questions: [question] };
    const other = await refusalOf(openAiAt(open).decisions.create(openAiBody));
    for (const { status, message } of [own, other]) {
      assert.equal(status, 404);
      assert.match(message, /expert/);
    }
  });
});

test("logs neither request texts nor tokens", async () => {
  const planted = { state: "planted words", routes: { planted_label: "x", other: "y" } };
  for (const { name, ask } of stacks) {
    await ask(locked, planted);
    await refusalOf(ask({ ...locked, key: "planted-token-of-somebody" }, planted));
    const output = locked.output();
    assert.match(output, /systemone|decisions/, name);
    assert.ok(!output.includes("planted") && !output.includes(locked.key), name);
  }
});
