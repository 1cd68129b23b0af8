import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { chooseRoute, decideOn } from "../../src/domain/assess.ts";
import { answerQuestion, type QuestionContext } from "../../src/domain/openai-compat/answer-question.ts";
import type { ChoiceQuestion } from "../../src/domain/openai-compat/questions.ts";
import { decisionsBody } from "../../src/domain/openai-compat/wires.ts";
import { LOCAL_OWNER } from "../../src/domain/experts.ts";
import type { Options } from "../../src/domain/decision-requests.ts";
import type { Encoding } from "../../src/domain/engine.ts";
import { withholdCommands } from "../../src/domain/withheld-commands.ts";
import { readParameters } from "../../src/http/parsers/read-parameters.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { seeded } from "../support/seeded.ts";

let fixture: Fixture;
before(async () => void (fixture = await createFixture()));
after(() => fixture[Symbol.asyncDispose]());

const TEXTS = [
  "will it rain tomorrow",
  "my money back and a password",
  "…",
  "東京 hello",
  "I want to talk to a human",
  "don't give money back, 'tell the weather now'",
];
const WORDS = ["rain", "sun and storm", "money back", "password lost", "", "hello there", "weather", "a human"];
const PARAMETERS = [
  readParameters(["city", "amount of money"]),
  readParameters({ type: "object", properties: { city: { type: "string" }, n: { type: "integer" } }, required: ["n"] }),
];
const floors = { minConf: null, maxError: null };

test("10 000 permutations of options, of a list or a map, leave every number of a label bit-identical", async () => {
  const { assessor, experts } = fixture.router;
  const random = seeded(41);
  const inPlay = await experts.inPlay(LOCAL_OWNER);
  for (let round = 0; round < 100; round++) {
    const text = { state: random.pick(TEXTS), context: "" };
    const encoding = assessor.engine.encode(text.state);
    const count = 1 + random.below(8);
    const entries = Array.from({ length: count }, (_, index) => ({
      label: random.pick(["é", "b", "A", "🙂", "_"]) + String(index),
      description: random.pick(WORDS),
      parameters: index % 3 === 0 ? random.pick(PARAMETERS) : [],
      examples: [],
    }));
    const labels = random.shuffle(["chat", "escalate", "password", "refund", "weather"]).slice(0, 1 + random.below(5));
    const decide = (options: Options) => {
      const request = { options, ...floors };
      const restricted = options.kind === "routes" ? inPlay : null;
      const choose = (read: Encoding) => chooseRoute(assessor.engine, read, { request, experts: restricted });
      const gated = withholdCommands(assessor.engine, choose(encoding), { text, choose });
      const { thresholds } = assessor;
      const { chosen, ...verdict } = decideOn(gated, { request, readable: true, escalation: null, thresholds });
      return { ...verdict, ...chosen, explain: null, explanation: chosen.explain(8) };
    };
    const list = decide({ kind: "routes", labels });
    const map = decide({ kind: "vocabulary", entries });
    for (let round = 0; round < 50; round++) {
      assert.deepEqual(decide({ kind: "routes", labels: random.shuffle(labels) }), list);
      assert.deepEqual(decide({ kind: "vocabulary", entries: random.shuffle(entries) }), map);
    }
  }
});

test("1 000 permutations of choices and of questions leave every number of a choice bit-identical, in every formula", () => {
  const { assessor } = fixture.router;
  const random = seeded(43);
  const encoding = assessor.engine.encode("my money back, please");
  const judged = { state: "my money back, please", context: "", explain: 0 };
  const own: QuestionContext = {
    ...assessor,
    encoding,
    judged,
    floors,
    pinned: null,
    inPlay: [],
    own: [],
    onChoice: () => undefined,
  };
  const choices: ChoiceQuestion["choices"] = [
    { value: true, description: "money" },
    { value: "true", description: "money" },
    { value: "refund", description: "money back" },
    { value: "weather", description: "rain" },
    { value: false, description: "" },
  ].map((choice) => ({ ...choice, parameters: [] }));
  for (const formula of ["chance", "entropy", "p_correct"] as const) {
    const numbers = (choices: ChoiceQuestion["choices"]) => {
      const question: ChoiceQuestion = { kind: "choice", name: "q", choices };
      const answer = answerQuestion(own, question);
      const { log } = assessor.engine;
      const parts = { answered: [{ question, answer }], formula, explain: 4, inputTokens: 1, warnings: [], log };
      const text = canonicalJson(decisionsBody(parts));
      const byValue = choices.map(({ value }, index) => `${typeof value} ${value}: ${answer.probabilities[index]}`);
      return [
        byValue.toSorted(),
        JSON.parse(text).answers[0].confidence,
        answer.correct,
        choices[answer.likeliest].value,
      ];
    };
    const first = numbers(choices);
    for (let round = 0; round < 333; round++) assert.deepEqual(numbers(random.shuffle(choices)), first);
  }
});

test("over HTTP, a map in another order gives the same response except for timings", async () => {
  const decide = async (body: string) => {
    const { id, latency_ms, ...same } = (await fixture.ask("/v1/decide", { body })).json();
    assert.ok(typeof id === "string" && typeof latency_ms === "number");
    return same;
  };
  const first = await decide('{"state":"money","options":{"b":"money back","a":"rain"}}');
  assert.deepEqual(await decide('{"options":{"a":"rain","b":"money back"},"state":"money"}'), first);
});
