import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { openHostNetwork } from "../../src/sandbox/network.ts";
import type { Price } from "../../src/run/usage.ts";
import type { ModelProxy, Provider } from "../../src/model-proxy/model-proxy.ts";
import type { RunError } from "../../src/run/run-error.ts";
import type { RunLimits } from "../../src/run/run-request.ts";
import { LIMITS } from "../support/run-story.ts";
import { chatAnswer, startModel, type ModelServer } from "./model-server.ts";

const REAL_KEY = "sk-the-real-key-of-the-worker";

interface Opened extends AsyncDisposable {
  readonly modelProxy: ModelProxy;
  readonly broken: readonly RunError[];
  /** A chat completion with the run's token. */
  ask(changes?: { path?: string; body?: object | string; pass?: string; method?: string }): Promise<Response>;
}

async function createTestProxy(
  model: ModelServer,
  { limits = {}, prices = {} }: { limits?: Partial<RunLimits>; prices?: Readonly<Record<string, Price>> } = {},
): Promise<Opened> {
  const provider: Provider = { id: "openai", baseUrl: `${model.url}/v1`, key: REAL_KEY, keyHeader: "authorization" };
  const broken: RunError[] = [];
  const network = await openHostNetwork(
    { providers: [provider], addressOf: async () => null },
    {
      limits: { ...LIMITS, ...limits },
      prices: new Map(Object.entries(prices)),
      isolation: { levelRequired: "worktree", network: "open", allowHosts: [] },
      onBroken: (error) => void broken.push(error),
    },
  );
  const { modelProxy } = network;
  assert.ok(modelProxy !== null);
  const address = modelProxy.addressOf("openai") ?? "";
  return {
    modelProxy,
    broken,
    ask: ({
      path = "/chat/completions",
      body = { model: "m", max_tokens: 50 },
      pass = modelProxy.pass,
      method = "POST",
    } = {}) =>
      fetch(address + path, {
        method,
        headers: { authorization: `Bearer ${pass}`, "content-type": "application/json", cookie: "a=b" },
        ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  };
}

test("forwards a call with the worker's key, and counts usage from the model's response", async () => {
  await using model = await startModel(chatAnswer({ input: 100, output: 20 }));
  await using opened = await createTestProxy(model, {
    prices: { m: { input: 1_000_000, cached: 0, output: 2_000_000 } },
  });
  const answer = await opened.ask();
  assert.equal(answer.status, 200);
  assert.ok((await answer.text()).includes("well"));
  const [received] = model.requests;
  assert.equal(received.path, "/v1/chat/completions");
  assert.equal(received.headers.authorization, `Bearer ${REAL_KEY}`);
  assert.equal(received.headers.cookie, undefined);
  assert.ok(!JSON.stringify(received).includes(opened.modelProxy.pass));
  assert.deepEqual(opened.modelProxy.spent(), {
    inputTokens: 100,
    cachedTokens: 0,
    outputTokens: 20,
    turns: 1,
    costMicro: 140,
  });
  assert.equal(opened.modelProxy.addressOf("anthropic"), null);
});

const closed: readonly (readonly [string, Parameters<Opened["ask"]>[0], number])[] = [
  ["another pass", { pass: "sk-triptych-guessed" }, 401],
  ["the real key", { pass: REAL_KEY }, 401],
  ["another part of the host", { path: "/files" }, 403],
  ["a way around by dots", { path: "/models/..%2f..%2fadmin/chat/completions" }, 403],
  ["a deletion", { path: "/models/m", method: "DELETE" }, 403],
  ["an answer to be fetched later", { path: "/responses", body: { model: "m", background: true } }, 400],
  ["what is not a call", { body: "[1]" }, 400],
];
for (const [what, changes, status] of closed)
  test(`refuses ${what}`, async () => {
    await using model = await startModel(chatAnswer({ input: 1, output: 1 }));
    await using opened = await createTestProxy(model);
    const answer = await opened.ask(changes);
    assert.equal(answer.status, status);
    assert.ok(!(await answer.text()).includes(REAL_KEY));
    assert.deepEqual(model.requests, []);
  });

test("ends exactly at the cap on turns, however many calls arrive together", async () => {
  await using model = await startModel(chatAnswer({ input: 1, output: 1 }));
  await using opened = await createTestProxy(model, { limits: { maxTurns: 5 } });
  const answers = await Promise.all(Array.from({ length: 30 }, () => opened.ask()));
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
  assert.equal(model.requests.length, 5);
  assert.equal(opened.modelProxy.broken, "turn_cap");
  assert.equal(opened.broken[0].code, "turn_cap");
});

for (const [code, limits] of [
  ["token_cap", { maxTokens: 1_000 }],
  ["cost_cap", { maxCostMicro: 1_000 }],
] as const)
  test(`exceeds a cap (${code}) by at most one call, even with parallel calls of unknown size`, async () => {
    const tokens = { input: 100, output: 200 };
    const price = { input: 1_000_000, cached: 1_000_000, output: 1_000_000 };
    await using model = await startModel(async (received, response) => {
      await setImmediate();
      await chatAnswer(tokens)(received, response);
    });
    await using opened = await createTestProxy(model, { limits, prices: { m: price } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => opened.ask({ body: { model: "m" } })));
    const spent = opened.modelProxy.spent();
    const used = code === "token_cap" ? spent.inputTokens + spent.outputTokens : (spent.costMicro ?? 0);
    assert.equal(used, 1_200);
    assert.equal(model.requests.length, 4);
    assert.equal(opened.modelProxy.broken, code);
    const refused = answers.filter(({ status }) => status === 403);
    assert.equal(refused.length, 16);
    assert.match(await refused[0].text(), /has reached its (?:token|cost) cap/);
  });

test("runs calls in parallel far from the caps", async () => {
  const together = Promise.withResolvers<void>();
  await using model = await startModel(async (received, response) => {
    if (model.requests.length === 3) together.resolve();
    await together.promise;
    await chatAnswer({ input: 1, output: 1 })(received, response);
  });
  await using opened = await createTestProxy(model, { limits: { maxTokens: 100_000 } });
  await Promise.all([opened.ask(), opened.ask(), opened.ask()]);
  assert.equal(model.together(), 3);
});

test("estimates the usage of an unreported or abandoned response", async () => {
  await using model = await startModel((_, response) => void response.end("x".repeat(4_000)));
  await using opened = await createTestProxy(model);
  await (await opened.ask()).text();
  assert.equal(opened.modelProxy.isEstimated, true);
  const { outputTokens, turns } = opened.modelProxy.spent();
  assert.deepEqual([outputTokens, turns], [1_000, 1]);
});

test("counts an abandoned call to its end, and queues the next one near the cap", async () => {
  const left = Promise.withResolvers<void>();
  await using model = await startModel(async (_, response) => {
    response.setHeader("content-type", "application/json");
    response.write(" ");
    await left.promise;
    response.end(JSON.stringify({ usage: { prompt_tokens: 600, completion_tokens: 600 } }));
  });
  await using opened = await createTestProxy(model, { limits: { maxTokens: 1_000 } });
  const away = new AbortController();
  const address = opened.modelProxy.addressOf("openai") ?? "";
  const headers = { authorization: `Bearer ${opened.modelProxy.pass}` };
  const first = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers,
    body: "{}",
    signal: away.signal,
  });
  assert.equal(first.status, 200);
  away.abort();
  const second = opened.ask();
  left.resolve();
  assert.equal((await second).status, 403);
  assert.equal(opened.modelProxy.spent().inputTokens, 600);
});

test("counts no turn for an unreachable model, and reports the error to the agent", async () => {
  const model = await startModel(chatAnswer({ input: 1, output: 1 }));
  await using opened = await createTestProxy(model, { limits: { maxTurns: 1 } });
  await model[Symbol.asyncDispose]();
  assert.equal((await opened.ask()).status, 502);
  assert.equal((await opened.ask()).status, 502);
  assert.equal(opened.modelProxy.broken, null);
});
