/** The OpenAI Decisions API, with OpenAI's client and the adapter of `ai`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noul, score } from "@typesafe-ai/sdk";
import { experimental_decide as decide } from "ai";
import { open } from "./counterparts.ts";
import { startProxy } from "./proxy.ts";
import { memberOf, sumOf } from "./reading.ts";
import { LEVELS, openAiAt, openAiModelAt, STATE, typeSafeAt, typeSafeModelAt } from "./stacks.ts";

const model = "gpt-6-luna";
const PREDICATE = { type: "predicate", instructions: "Does the customer want money back?" } as const;

test('returns `true` and "true" as two values, unchanged, in request order', async () => {
  const values = ["true", true, "false", false];
  const choices = values.map((value) => ({ value }));
  const { answers } = await openAiAt(open).decisions.create({
    model,
    input: STATE,
    questions: [{ type: "choice", name: "money", instructions: "Money back?", choices }],
  });
  const [answer] = answers;
  assert.ok(answer?.type === "choice");
  assert.deepEqual(
    answer.probabilities.map(({ value }) => value),
    values,
  );
  assert.ok(Math.abs(sumOf(answer.probabilities.map(({ probability }) => probability)) - 1) < 1e-6);
  assert.ok(values.includes(answer.choice));
});

test("echoes names, or null, and answers in the order of the questions", async () => {
  const { answers } = await openAiAt(open).decisions.create({
    model,
    input: STATE,
    questions: [{ ...PREDICATE, name: "second" }, PREDICATE, { ...PREDICATE, name: "first" }],
  });
  assert.deepEqual(
    answers.map(({ name }) => name),
    ["second", null, "first"],
  );
});

test("returns every key of `usage`", async () => {
  const { usage } = await openAiAt(open).decisions.create({ model, input: STATE, questions: [PREDICATE] });
  const { input_tokens } = usage;
  assert.ok(input_tokens > 0);
  assert.deepEqual(usage, {
    input_tokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens,
  });
});

test("rates levels by their descriptions if the adapter of `ai` labels them with numbers", async () => {
  await using proxy = await startProxy(open);
  const scoreQuestions = { mood: { type: "score", instructions: "How upset?", criteria: LEVELS } } as const;
  const adapted = await decide({ model: openAiModelAt(proxy), state: STATE, questions: scoreQuestions });
  const sent: unknown = JSON.parse(proxy.requests[0]?.body ?? "");
  assert.deepEqual(memberOf(sent, "input", "0", "content"), [{ type: "input_text", text: STATE }]);
  assert.deepEqual(memberOf(sent, "questions", "0", "levels", "0"), { label: "0", description: LEVELS[0] });
  const own = await typeSafeAt(open).systemOne({ state: STATE, questions: { mood: score("How upset?", LEVELS) } });
  assert.equal(adapted.answers.mood.score, own.answers.mood.score);
});

test("decides a JSON state identically through both adapters of `ai`", async () => {
  const questions = { route: { type: "choice", criteria: { refund: "money back", weather: "rain" } } } as const;
  const listed = [
    { type: "text", text: "A note:" },
    { type: "json", value: { text: "I want my money back" } },
  ] as const;
  for (const state of [{ subject: "lamp", text: "I want my money back" }, listed]) {
    const here = await decide({ model: openAiModelAt(open), state, questions });
    const there = await decide({ model: typeSafeModelAt(open), state, questions });
    assert.equal(here.answers.route.choice, "refund");
    assert.deepEqual(here.answers.route.probabilities, there.answers.route.probabilities);
  }
});

test("reads JSON instructions and descriptions identically through both adapters of `ai`", async () => {
  const money = { means: "wants money back", of: ["lamp"] };
  const questions = {
    about: { type: "boolean", instructions: { ask: "money?" }, criteria: { true: money } },
    route: { type: "choice", instructions: ["which?"], criteria: { refund: money, weather: ["rain", "sun"] } },
    mood: { type: "score", instructions: null, criteria: [{ is: "calm" }, money] },
  } as const;
  const here = await decide({ model: openAiModelAt(open), state: STATE, questions });
  const there = await decide({ model: typeSafeModelAt(open), state: STATE, questions });
  assert.deepEqual(here.answers, there.answers);
});

for (const criteria of [
  { true: "wants money back", false: "asks for the weather" },
  { true: "wants money back" },
  { false: "asks for the weather" },
])
  test(`decides a yes/no question identically in both formats if it describes ${Object.keys(criteria).join(" and ")}`, async () => {
    const questions = { about: { type: "boolean", instructions: "About money?", criteria } } as const;
    const here = await decide({ model: openAiModelAt(open), state: STATE, questions });
    const own = await typeSafeAt(open).systemOne({
      state: STATE,
      questions: { about: noul("About money?", criteria) },
    });
    assert.equal(here.answers.about.probability, own.answers.about.noul);
  });

test("decides the last user message, with tool calls and their results as context", async () => {
  const { answers } = await openAiAt(open).decisions.create({
    model,
    input: [
      { role: "developer", content: "You are a shop." },
      { role: "user", content: [{ type: "input_text", text: "I want my money back" }] },
      { role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
      { type: "function_call", call_id: "c1", name: "order", arguments: '{"id":7}' },
      { type: "function_call_output", call_id: "c1", output: "a lamp, never delivered" },
    ],
    questions: [
      {
        type: "choice",
        instructions: "?",
        choices: [{ value: "refund", description: "money back" }, { value: "weather" }],
      },
    ],
  });
  assert.equal(memberOf(answers[0], "choice"), "refund");
});

test("accepts known fields without effect silently, and lists unknown ones in `warnings`", async () => {
  const accepted = {
    model,
    input: STATE,
    questions: [PREDICATE],
    prompt_cache_key: "x",
    safety_identifier: "somebody",
  };
  const silent = await openAiAt(open).decisions.create(accepted);
  assert.equal(memberOf(silent, "warnings"), undefined);
  const unknown = { ...accepted, temperature: 0 };
  const warnings = memberOf(await openAiAt(open).decisions.create(unknown), "warnings");
  assert.match(String(warnings), /`temperature`/);
});

test("returns `confidence` and `usage` to the caller of `ai` as provider metadata", async () => {
  const questions = { route: { type: "choice", criteria: { refund: "money back", weather: "rain" } } } as const;
  const options = { openai: { safetyIdentifier: "somebody", promptCacheKey: "x" } };
  const result = await decide({ model: openAiModelAt(open), state: STATE, questions, providerOptions: options });
  const confidence = memberOf(result.providerMetadata, "openai", "confidence", "route");
  assert.ok(typeof confidence === "number" && confidence >= 0 && confidence <= 1, String(confidence));
  assert.equal(memberOf(result.providerMetadata, "openai", "usage", "total_tokens"), result.usage.inputTokens);
  assert.deepEqual(result.warnings, []);
});

test("lists the models, and returns the request ID", async () => {
  const names: string[] = [];
  for await (const { id, object, owned_by } of openAiAt(open).models.list()) {
    assert.deepEqual([object, owned_by], ["model", "triptych"]);
    names.push(id);
  }
  assert.ok(names.includes("triptych-1") && names.includes("triptych-1/tools"), names.join());
  const answer = await openAiAt(open).decisions.create({ model, input: STATE, questions: [PREDICATE] });
  assert.match(String(answer._request_id), /^req_/);
});
