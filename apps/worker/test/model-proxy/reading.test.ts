import assert from "node:assert/strict";
import { test } from "node:test";
import { providersOf } from "../../src/model-proxy/providers.ts";
import { createAnswerMeter } from "../../src/model-proxy/read-usage.ts";

const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;

const answers: readonly (readonly [string, string, { isStream: boolean }, [number, number, number]])[] = [
  [
    "chat completions",
    JSON.stringify({ usage: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } } }),
    { isStream: false },
    [10, 4, 5],
  ],
  [
    "streamed chat completions",
    event({ choices: [{ delta: { content: '"usage":{"prompt_tokens":9999}' } }], usage: null }) +
      event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }) +
      "data: [DONE]\n\n",
    { isStream: true },
    [10, 0, 5],
  ],
  [
    "streamed responses",
    event({ type: "response.created", response: { usage: null } }) +
      event({
        type: "response.completed",
        response: { usage: { input_tokens: 30, output_tokens: 7, input_tokens_details: { cached_tokens: 20 } } },
      }),
    { isStream: true },
    [30, 20, 7],
  ],
  [
    "streamed messages",
    event({
      type: "message_start",
      message: {
        usage: { input_tokens: 3, cache_read_input_tokens: 20, cache_creation_input_tokens: 7, output_tokens: 1 },
      },
    }) + event({ type: "message_delta", usage: { output_tokens: 15 } }),
    { isStream: true },
    [30, 20, 15],
  ],
  [
    "generateContent",
    JSON.stringify([
      { usageMetadata: { promptTokenCount: 8 } },
      {
        usageMetadata: {
          promptTokenCount: 8,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 4,
          cachedContentTokenCount: 1,
        },
      },
    ]),
    { isStream: false },
    [8, 1, 6],
  ],
];
for (const [what, text, kind, [inputTokens, cachedTokens, outputTokens]] of answers)
  test(`reads the usage of ${what}, wherever the response was split`, () => {
    const bytes = Buffer.from(text);
    for (const size of [1, 7, bytes.length]) {
      const meter = createAnswerMeter(kind);
      for (let at = 0; at < bytes.length; at += size) meter.push(bytes.subarray(at, at + size));
      assert.deepEqual(meter.used(), { inputTokens, cachedTokens, outputTokens });
      assert.equal(meter.bytes, bytes.length);
    }
  });

test("offers providers with a key or an address in the worker's environment", () => {
  const providers = providersOf({
    ANTHROPIC_API_KEY: "k1",
    OPENAI_BASE_URL: "http://127.0.0.1:8000/v1/",
    PATH: "/bin",
  });
  assert.deepEqual(
    providers.map(({ id, baseUrl, key }) => [id, baseUrl, key]),
    [
      ["openai", "http://127.0.0.1:8000/v1", null],
      ["anthropic", "https://api.anthropic.com", "k1"],
    ],
  );
  assert.throws(() => providersOf({ OPENAI_BASE_URL: "ftp://models" }), /OPENAI_BASE_URL must be an http or https URL/);
});
